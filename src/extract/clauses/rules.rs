//! The rules by name, each with how sure it is where nothing speaks against it. What speaks against a value lowers it
//! from here; nothing raises it but what is named here too.

use std::ops::Range;

use crate::posting::Confidence;

use super::Candidate;

/// A rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// Its name, as evidence shows it.
    pub name: &'static str,
    /// How sure it is, in percent.
    pub percent: u16,
}

impl Rule {
    /// How sure it is.
    pub const fn confidence(self) -> Confidence {
        Confidence::percent(self.percent)
    }

    /// A value that it proposes.
    pub fn says<T>(self, value: T, range: Range<usize>) -> Candidate<T> {
        Candidate { value, confidence: self.confidence(), range, rule: self.name }
    }
}

macro_rules! rules {
    ($($(#[$doc:meta])* $constant:ident = $name:literal, $percent:literal;)*) => {
        $($(#[$doc])* pub const $constant: Rule = Rule { name: $name, percent: $percent };)*

        /// All rules that propose what is required, or what the measuring tool counts.
        pub const ALL: &[Rule] = &[$($constant),*];
    };
}

rules! {
    /// A party with a legal form or a description before a role in quotation marks, behind "between".
    PREAMBLE_COMPANY = "preamble_company", 91;
    /// The same without a legal form: a person, as a rule.
    PREAMBLE_PERSON = "preamble_person", 84;
    /// A party with a legal form before ", as Tenant", behind "between".
    PREAMBLE_AS_COMPANY = "preamble_as_company", 88;
    /// The same without a legal form.
    PREAMBLE_AS_PERSON = "preamble_as_person", 80;
    /// Several parties that bear one role together.
    PREAMBLE_JOINT = "preamble_joint", 70;
    /// A company behind a label near the start.
    LABELLED_COMPANY = "labelled_company", 88;
    /// Any other name behind a label near the start.
    LABELLED_PERSON = "labelled_person", 82;
    /// A company behind a label further on, as in a signature block.
    SIGNATURE_COMPANY = "signature_company", 80;
    /// Any other name there.
    SIGNATURE_PERSON = "signature_person", 60;
    /// "The Landlord is NAME."
    ROLE_IS = "role_is", 86;
    /// A company directly before a role in quotation marks, wherever it stands near the start.
    NAME_BEFORE_ROLE = "name_before_role", 84;
    /// "(1) NAME (2) NAME" on a cover.
    NUMBERED_PARTIES = "numbered_parties", 76;

    /// A title line.
    TITLE = "title", 92;
    /// "This Lease is made ..."
    OPENING_WORDS = "opening_words", 92;
    /// Words by which one party lets to another, where there is neither.
    WORDS_OF_LETTING = "words_of_letting", 80;

    /// Words by which an amendment extends, expands or changes the rent.
    SCOPE_BY_WORDS = "scope_by_words", 88;
    /// An amendment that does none of these.
    SCOPE_BY_ABSENCE = "scope_by_absence", 85;

    /// A row whose annual and monthly figures are twelve apart, under words of base rent.
    TABLE_TWELVE_APART = "rent_table_twelve_apart", 95;
    /// A row whose figure is its rate times an area of the document, under words of base rent.
    TABLE_RATE_TIMES_AREA = "rent_table_rate_times_area", 95;
    /// Rows of a period and one figure, whose column or heading says a month or a year.
    TABLE_WITH_PERIOD = "rent_table_with_period", 87;
    /// Two figures of running text that are twelve apart, behind words of base rent.
    TWELVE_APART = "rent_twelve_apart", 96;
    /// A figure of running text with its period, behind words of base rent.
    RENT_WITH_PERIOD = "rent_with_period", 89;
    /// The same where the document has no other word for its rent.
    PLAIN_RENT_WITH_PERIOD = "plain_rent_with_period", 87;
    /// A figure of running text with its period, behind the word rent.
    SOME_RENT_WITH_PERIOD = "some_rent_with_period", 78;
    /// A figure that is paid each month.
    RENT_PAID_MONTHLY = "rent_paid_monthly", 60;
    /// A quarter's rent, for which four stand in a year.
    RENT_EACH_QUARTER = "rent_each_quarter", 78;

    /// A date behind "Commencement Date".
    NAMED_START = "named_start", 90;
    /// A date before "(the "Commencement Date")".
    DEFINED_START = "defined_start", 90;
    /// A date behind "the term begins on".
    TERM_STARTS_ON = "term_starts_on", 86;
    /// The first of two dates of a term "from ... to ...".
    TERM_FROM = "term_from", 88;
    /// A start and an end in one breath support each other.
    START_AND_END_TOGETHER = "start_and_end_together", 93;
    /// A date behind "Expiration Date".
    NAMED_END = "named_end", 90;
    /// A date before "(the "Expiration Date")".
    DEFINED_END = "defined_end", 90;
    /// A date behind "the term ends on".
    TERM_ENDS_ON = "term_ends_on", 86;
    /// The second of two dates of a term "from ... to ...".
    TERM_TO = "term_to", 88;
    /// A date behind "Rent Commencement Date".
    NAMED_RENT_COMMENCEMENT = "named_rent_commencement", 90;
    /// "a term of sixty (60) months".
    LENGTH_OF_TERM = "length_of_term", 88;
    /// An end computed from a stated start on the first of a month and a stated length.
    START_PLUS_LENGTH = "start_plus_length", 86;
    /// A start computed from a stated end and length: worth showing, not worth posting.
    END_MINUS_LENGTH = "end_minus_length", 78;

    /// An amount at the words "security deposit".
    DEPOSIT_AFTER_LABEL = "deposit_after_label", 90;
    /// "shall deposit $5,000.00 (the "Security Deposit")".
    DEPOSIT_BEFORE_LABEL = "deposit_before_label", 90;
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_rule_has_a_name_of_its_own() {
        let names: BTreeSet<&str> = ALL.iter().map(|rule| rule.name).collect();
        assert_eq!(names.len(), ALL.len());
    }
}
