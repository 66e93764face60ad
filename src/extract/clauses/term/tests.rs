//! Tests of the rules of the term.

use jiff::civil::date;

use super::*;
use crate::extract::tests::reading_of;

fn sure(candidates: &[Candidate<Date>]) -> Option<Date> {
    candidates
        .iter()
        .filter(|candidate| candidate.confidence >= Confidence::percent(85))
        .max_by_key(|candidate| candidate.confidence)
        .map(|candidate| candidate.value)
}

#[test]
fn starts_and_ends_are_read_where_they_are_certain() {
    let may = Some(date(2020, 5, 1));
    let april = Some(date(2025, 4, 30));
    let rows: &[(&str, Option<Date>, Option<Date>)] = &[
        (
            "The term of this Lease shall commence on May 1, 2020 and shall expire on April 30, 2025.",
            may,
            april,
        ),
        (
            "for a term commencing on May 1, 2020, and ending on April 30, 2025, unless sooner terminated.",
            may,
            april,
        ),
        (
            "The term begins on the 1st day of May, 2020 and ends at midnight on the 30th day of April, 2025.",
            may,
            april,
        ),
        ("Commencement Date: May 1, 2020\nExpiration Date: April 30, 2025", may, april),
        ("Lease Commencement Date\tMay 1, 2020\nLease Expiration Date\tApril 30, 2025", may, april),
        ("The \"Commencement Date\" shall be May 1, 2020.", may, None),
        ("May 1, 2020 (the \"Commencement Date\") and April 30, 2025 (the \"Expiration Date\")", may, april),
        ("let from and after May 1, 2020 (the \"Commencement Date\")", may, None),
        ("The Term is extended through April 30, 2025.", None, april),
        (
            "Base Year for Taxes is the period commencing on May 1, 2020 and ending on April 30, 2025.",
            None,
            None,
        ),
        ("The term of the insurance policy commences on May 1, 2020.", None, None),
        ("The term of the Master Lease ends on April 30, 2025.", None, None),
        (
            "The term of this Sublease shall end on April 30, 2025, unless terminated under the Master Lease.",
            None,
            april,
        ),
        ("Tenant may renew for a term commencing on May 1, 2020.", None, None),
        ("Target Commencement Date: May 1, 2020", None, None),
        (
            "The lease shall start on 1 May 2020 (the \"Commencement Date\"), for an initial period of 5 years (to expire on 30 April 2025).",
            may,
            april,
        ),
        ("Rent Commencement Date: May 1, 2020", None, None),
        ("During the term, for the lease year commencing on May 1, 2020, tenant reports.", None, None),
        ("For the second year of the term commencing on May 1, 2020 there is a review.", None, None),
        ("In the term, payments begin on May 1, 2020 and end on April 30, 2025.", None, None),
        (
            "The term of the lease is for five years, commencing on May 1, 2020, and ending April 30, 2025.",
            may,
            april,
        ),
        ("Area: 5 square feet\nCommencement Date:\tMay 1, 2020", may, None),
        ("the date of May 1, 2020 is the Rent\nCommencement Date is May 1, 2020", None, None),
        (
            "9. Option. Tenant may extend. The extended term commences on May 1, 2020 and ends on April 30, 2025.",
            None,
            None,
        ),
        (
            "Tenant may extend the term for a period commencing on May 1, 2020 and ending on April 30, 2025.",
            None,
            None,
        ),
        (
            "The \"Commencement Date\" shall be the later of May 1, 2020 and delivery of possession.",
            None,
            None,
        ),
        ("The term shall commence on or about May 1, 2020.", None, None),
        ("The parties met on May 1, 2020.", None, None),
        ("Commencement Date:\nMay 1, 2020\nEstimated Charges:\n$900.00", may, None),
        ("Commencement Date:\nMay 1, 2020\n(subject to adjustment under Section 2)", None, None),
        (
            "The term shall be effective as of May 1, 2020 (the \"Commencement Date\") and shall terminate at 12:00 o'clock midnight, local time, on the 30th day of April 2025.",
            may,
            april,
        ),
        (
            "The term starts on the later of May 1, 2020 and the day of consent and ends on April 30, 2025.",
            None,
            april,
        ),
        ("If the Commencement Date were May 1, 2020, the term would expire on April 30, 2025.", None, None),
        (
            "for the term of five (5) years, commencing on the first day of May, 2020 (May 1, 2020) and ending at noon on the thirtieth day of April, 2025; PAYING a rent of $5,000.00",
            may,
            april,
        ),
        (
            "1.3 Term: five (5) years (\"Original Term\") commencing May 1, 2020 (\"Commencement Date\") and ending April 30, 2025 (\"Expiration Date\").",
            may,
            april,
        ),
        (
            "The Lease commencement date shall be May 1, 2020 and the Lease expiration shall be April 30, 2025.",
            may,
            april,
        ),
        ("5\tTerm\tFive (5) years from 1 May 2020 to 30 April 2025", may, april),
        ("Term: May 1, 2020 - April 30, 2025", may, april),
        ("Lease Term\tMay 1, 2020 through April 30, 2025", may, april),
        ("The letting runs from 1 May 2020 to 30 April 2025, both days included.", may, april),
        ("a term from and including 1 May 2020 to and including 30 April 2025", may, april),
        ("The agreement starts on May 1, 2020 and ends on April 30, 2025.", may, april),
        ("This tenancy begins on May 1, 2020 and ends on April 30, 2025.", may, april),
        (
            "a term of 5 years beginning on, and including, 1 May 2020 and ending on, and including, 30 April 2025",
            may,
            april,
        ),
        (
            "3. Duration, extension and termination\nThis agreement is entered into for a period of 5 years, commencing on 1 May 2020 and continuing up to and including 30 April 2025.",
            may,
            april,
        ),
        ("The term ends on April 30, 2025, as the same may be extended under Section 2.", None, april),
        ("(a) Commencement Date: May 1, 2020\n(b) Expiry of Term: April 30, 2025", may, april),
        ("The Lease Expiration Date is changed from May 1, 2020 to April 30, 2025.", None, None),
        (
            "The first rent is due on the date of this lease for the period from May 1, 2020 to April 30, 2025.",
            None,
            None,
        ),
        ("Taxes for the period from May 1, 2020 to April 30, 2025 are paid.", None, None),
        ("the lease is void. Rent from May 1, 2020 to April 30, 2025 is $5.", None, None),
        (
            "2. Term. The term is sixty months. It begins on May 1, 2020 and ends on April 30, 2025.",
            may,
            april,
        ),
        (
            "TERM\nTHE TERM IS FIVE (5) YEARS. IT BEGINS ON MAY 1, 2020 AND IT ENDS ON\nAPRIL 30, 2025 AT 5:00 O'CLOCK P.M.",
            may,
            april,
        ),
        ("The lease is for five school years. It begins May 1, 2020 and ends April 30, 2025.", may, april),
        ("The insurance is the Tenant's. It begins on May 1, 2020 and ends on April 30, 2025.", None, None),
        ("Tenant may renew the term. It begins on May 1, 2020 and ends on April 30, 2025.", None, None),
        (
            "Section 2. Term. Five years, commencing May 1, 2020 and ending April 30, 2025.\nSection 3. Rent. $5.",
            may,
            april,
        ),
        ("Section 2. Works. Five years, commencing May 1, 2020 and ending April 30, 2025.", None, None),
        ("2. Term. Five years, from and including May 1, 2020 to and including April 30, 2025.", may, april),
        (
            "The term starts at noon on Friday, May 1, 2020 and ends at noon on Wednesday, April 30, 2025.",
            may,
            april,
        ),
        (
            "for a term to commence on May 1, 2020 and to end on April 30, 2025, at the yearly rent of $9,000.00",
            may,
            april,
        ),
        ("The term ends with a rent of $9,000.00 which begins on May 1, 2020.", None, None),
        (
            "The term is five (5) years and runs from May 1, 2020 (the \"Commencement Date\") to April 30, 2025.",
            may,
            april,
        ),
        (
            "The lease begins on the First day of May Two Thousand and Twenty (1 May 2020), to end by operation of law on the Thirtieth day of April Two Thousand and Twenty Five (30 April 2025).",
            may,
            april,
        ),
        ("\"Date of Entry\" means 1 May 2020.", may, None),
        ("\"Date of Entry\" means the First day of May Two Thousand and Twenty (1 May 2020)", may, None),
        ("Item 8\tCommencing Date\t1 May 2020\nItem 9\tExpiry Date\t30 April 2025", may, april),
        ("11. Date of commencement: 1 May 2020", may, None),
        ("This tenancy starts on: 2020-05-01", may, None),
        ("Premises\tYard 5\nLease begins\tMay 1, 2020\nLease ends\tApril 30, 2025", may, april),
        ("5. Term: 60 months\nStart: 1 May 2020\nFinish: 30 April 2025\n6. Rent: EUR 900.00", may, april),
        ("Term ........ 5 years\nCommences ... 1 May 2020\nExpires ..... 30 April 2025", may, april),
        ("Lease begins: May 1, 2020", None, None),
        (
            "Lessor: Elm Corporation\nLessee: Fern Inc.\nLease Period: May 1, 2020 - April 30, 2025\nLessor: Elm",
            may,
            april,
        ),
        (
            "THE TERM IS FIVE (5) YEARS. IT BEGINS ON MAY 1, 2020 AND IT ENDS ON\nAPRIL 30, 2025 AT 5:00 P.M.\nRENTAL\nTENANT PAYS $900.00 A MONTH",
            may,
            april,
        ),
        ("Works\nStart: 1 May 2020\nFinish: 30 April 2025", None, None),
        ("Planting\nBegins: 1 May 2020\nEnds: 30 April 2025", None, None),
        ("Parking: bay 4\nBegins: 1 May 2020\nEnds: 30 April 2025", None, None),
        ("Former letting: $90.00 a month\nBegins: 1 May 2020\nEnds: 30 April 2025", None, None),
        (
            "The shed is let on these terms.\n1. Commences: 1 May 2020.\n2. Expires: 30 April 2025.",
            may,
            april,
        ),
        ("The yard is as shown on the plan.\nBegins\nMay 1, 2020\nEnds\nApril 30, 2025\nRent", may, april),
        ("The agent shows the yard.\nBegins\nMay 1, 2020\nEnds\nApril 30, 2025\nRent", may, april),
        ("The option to stay is as follows.\nBegins\nMay 1, 2020\nEnds\nApril 30, 2025", None, None),
        ("The yard is as shown on the plan.\nBegins\nMay 1, 2020\nRent\n$90.00", None, None),
        ("Lease Type\tfixed\nLease From\tMay 1, 2020\nLease To\tApril 30, 2025", may, april),
        ("Moved From\tMay 1, 2020\nMoved To\tApril 30, 2025", None, None),
        ("Agreement begins\t1 May 2020\nAgreement ends\t30 April 2025", may, april),
        ("Date when term begins 1 May 2020\nDate when term ends 30 April 2025", may, april),
        ("Term .......... Five Lease Years, May 1, 2020 to April 30, 2025", may, april),
        ("The term has a review. Lease Year 5: May 1, 2020 to April 30, 2025", None, None),
        (
            "TO HOLD for a term of five (5) years to be computed from the 1st day of May, 2020 and to be fully complete and ended on the 30th day of April, 2025.",
            may,
            april,
        ),
        ("The grower has the land from May 1, 2020 to April 30, 2025.", may, april),
        ("The grower had the land from May 1, 2020 to April 30, 2025.", None, None),
        ("The broker has the premises from May 1, 2020 to April 30, 2025.", None, None),
        ("The grower has the storage space from May 1, 2020 to April 30, 2025.", None, None),
        (
            "Elm lets to Fern the barn known as Long Barn for five years from and including 1 May 2020 to and including 30 April 2025.",
            may,
            april,
        ),
        ("By a former lease Elm lets the barn for five years from 1 May 2020 to 30 April 2025.", None, None),
        ("Elm may let the barn for five years from 1 May 2020 to 30 April 2025.", None, None),
        ("Fern leases the copier for five years from 1 May 2020 to 30 April 2025.", None, None),
        ("The guarantor is bound for five years from 1 May 2020 to 30 April 2025.", None, None),
        ("Elm warrants the roof for five years from 1 May 2020 to 30 April 2025.", None, None),
        (
            "Term. Five years, commencing at 12:01 a.m. on May 1, 2020 and expiring on April 30, 2025.",
            may,
            april,
        ),
        ("Period. Five years starting May 1, 2020 and ending April 30, 2025.", may, april),
        ("Warranty. Five years starting May 1, 2020 and ending April 30, 2025.", None, None),
        ("Period:\tFive years commencing on 1 May 2020 and ending on 30 April 2025", may, april),
        ("Grace period:\tFive years commencing on 1 May 2020 and ending on 30 April 2025", None, None),
        (
            "The lease shall be for a period of 60 months, effective from 1 May 2020 and expiring on 30 April 2025.",
            may,
            april,
        ),
        ("This paper is effective from 1 May 2020.", None, None),
        ("(2) How long. Five (5) years, the first day of which is May 1, 2020.", may, None),
        (
            "Landlord leases the Store to Tenant for a period of sixty (60) months commencing May 1, 2020, as a salon.",
            may,
            None,
        ),
        (
            "If Landlord leases the Store to another for a period of sixty (60) months commencing May 1, 2020, it pays.",
            None,
            None,
        ),
        (
            "Period. Five years starting May 1, 2020 and ending April 30, 2025.\nADDENDUM NO. 2\nIt starts July 1, 2020 and ends June 30, 2025.",
            None,
            None,
        ),
        (
            "Period. Five years starting May 1, 2020 and ending April 30, 2025.\nRIDER\nThe rent is $90.00 through June 30, 2023.",
            may,
            april,
        ),
        (
            "The term commences\tMay 1, 2020\nThe term expires\tApril 30, 2025, or, if extended, later",
            may,
            None,
        ),
    ];
    for (text, start, end) in rows {
        let term = reading_of(text, |reading| propose(reading, DocumentKind::Lease));
        assert_eq!(sure(&term.start), *start, "start of {text}");
        assert_eq!(sure(&term.end), *end, "end of {text}");
    }
}

#[test]
fn a_date_that_is_shifted_or_left_open_is_not_the_one_that_is_meant() {
    let rows: &[&str] = &[
        "The term begins three weeks from May 1, 2020 (the \"Commencement Date\").",
        "The term begins on the first Monday after May 1, 2020 (the \"Commencement Date\").",
        "The term begins at midnight of the day that follows May 1, 2020 (the \"Commencement Date\").",
        "The term begins by May 1, 2020 (the \"Commencement Date\").",
        "The term begins on or after May 1, 2020 (the \"Commencement Date\").",
        "The term begins no earlier than May 1, 2020 (the \"Commencement Date\").",
        "The term commences within thirty days of May 1, 2020 (the \"Commencement Date\").",
        "The term begins ten days behind the permit but not before May 1, 2020 (the \"Commencement Date\").",
        "The term begins with the handing over or May 1, 2020 (the \"Commencement Date\").",
        "The term begins on the first to occur of opening and May 1, 2020 (the \"Commencement Date\").",
        "The term begins on a day expected to be May 1, 2020 (the \"Commencement Date\").",
        "The term begins when Landlord has the permit, foreseen for May 1, 2020 (the \"Commencement Date\").",
        "The term is intended to commence on May 1, 2020.",
        "The term is planned to commence on May 1, 2020.",
        "The term tentatively commences on May 1, 2020.",
        "The term provisionally commences on May 1, 2020.",
        "The term commences on May 1, 2020, assuming that the works are complete.",
        "The term commences on May 1, 2020 once the permit is granted.",
        "The term commences on May 1, 2020 if ready, else when ready.",
        "The term commences on May 1, 2020 or July 1, 2020, as Tenant chooses.",
        "The term commences on May 1, 2020 or on the handing over of the keys, whichever comes last.",
        "The term commences on May 1, 2020, always provided the former tenant has left.",
        "The term commences on May 1, 2020 (corrected: July 1, 2020).",
        "Commencement Date: May 1, 2020 or the first day after the bank has paid",
        "Commencement Date:\tMay 1, 2020\n(see Rider: moves with the permit)",
        "The term ends on the day preceding May 1, 2025 (the \"Expiration Date\").",
        "The term commences on the eve of May 1, 2020 (the \"Commencement Date\").",
        "The term commences on May 1, 2020 plus thirty days.",
        "The term commences on May 1, 2020 or thereabouts.",
        "The term ends a month short of May 31, 2025 (the \"Expiration Date\").",
        "The term ends between April 30, 2025 and May 31, 2025 (the \"Expiration Date\").",
        "The term does not end on May 31, 2025.",
        "The term is sixty months and runs until May 1, 2025.",
        "Term: May 1, 2020 - April 30, 2025 (first phase) and May 1, 2025 - April 30, 2030 (second phase).",
        "Landlord's own lease has a term commencing on May 1, 2020 and ending on April 30, 2025.",
        "The term of the guaranty commences on May 1, 2020 and ends on April 30, 2025.",
        "The trial term commences on May 1, 2020 and ends on April 30, 2021.",
        "The term ends on the day before May 1, 2025 (the \"Expiration Date\").",
        "The term ends on the last day of the sixth month behind May 1, 2025 (the \"Expiration Date\").",
        "The term ends on a day not earlier than May 1, 2025 (the \"Expiration Date\").",
    ];
    for text in rows {
        let term = reading_of(text, |reading| propose(reading, DocumentKind::Lease));
        assert_eq!(sure(&term.start), None, "start of {text}");
        assert_eq!(sure(&term.end), None, "end of {text}");
    }
}

#[test]
fn an_amendment_tells_of_the_old_term() {
    let rows = [
        ("Under the Lease the term ends on April 30, 2020.", None),
        ("The parties know that the Lease expires on April 30, 2020.", None),
        ("The term of the Lease is extended and shall expire on April 30, 2020.", Some(date(2020, 4, 30))),
    ];
    for (text, expected) in rows {
        let term = reading_of(text, |reading| propose(reading, DocumentKind::Amendment));
        assert_eq!(sure(&term.end), expected, "{text}");
    }
}

#[test]
fn a_condition_in_the_definition_is_noticed() {
    let rows = [
        ("\"Commencement Date\" means the earlier of (i) opening and (ii) June 1, 2020.", true),
        ("The term shall commence on the date Landlord delivers the Premises.", true),
        ("The term shall run from the closing. This is the \"Commencement Date.\"", true),
        ("The \"Commencement Date\" shall be May 1, 2020.", false),
        (
            "It commences May 1, 2020. If possession is late, the Commencement Date shall be the date of delivery.",
            true,
        ),
        ("It commences May 1, 2020. The Commencement Date may be postponed by Landlord.", true),
        (
            "commencing on May 1, 2020 (\"commencement date\") and ending on April 30, 2025, as may be extended",
            false,
        ),
        (
            "A building of approximately 5,000 square feet, let from May 1, 2020 (the \"Commencement Date\").",
            false,
        ),
        ("The \"Commencement Date\" shall be approximately May 1, 2020.", true),
        (
            "It commences May 1, 2020. Should the suite not be ready, the term shall run for sixty months from the day on which it is.",
            true,
        ),
        ("If it is not ready, the beginning and the end of the term are postponed until it is.", true),
        ("It is not ready. The term shall then begin on June 1, 2020 instead.", true),
        ("It ends on April 30, 2025. Both dates move back day for day.", true),
        ("The commencement of rent is postponed.", false),
        ("The rent commencement is postponed.", false),
        ("The term shall begin on May 1, 2020 and the dates of payment are the firsts.", false),
        ("The Expansion Space Commencement Date shall be the date of delivery.", false),
        ("Defined terms: \"Commencement Date\" page 3", false),
        ("Commencement Date:\tSubstantial Completion of the Work", true),
        ("Commencement Date:\tMay 1, 2020\nTarget of the work:\tJune 1, 2020", false),
    ];
    for (text, expected) in rows {
        let term = reading_of(text, |reading| propose(reading, DocumentKind::Lease));
        assert_eq!(term.conditional_start.is_some(), expected, "{text}");
    }
}

#[test]
fn lengths_are_read_where_words_and_figures_agree() {
    let rows = [
        ("for a term of ninety-one (91) months", Some(91)),
        ("a term of five (5) years", Some(60)),
        ("The Term shall be for a period of 36 months", Some(36)),
        ("a term of five (6) years", None),
        ("a term of five (5) years and two (2) months", Some(62)),
        ("Term: seven (7) years, seven (7) months", Some(91)),
        ("a term of five (5) years and ten (10) days", None),
        ("Lease Term: 60 months", Some(60)),
        ("The term is three years, commencing on May 1, 2020", Some(36)),
        ("The term of forty-eight months commences on May 1, 2020", Some(48)),
        ("a term of five years and ten days", None),
        ("a renewal term of five years", None),
        ("a term of five (5) years; a term of two years", Some(60)),
        ("a renewal term of five (5) years", None),
        ("Extension: one term of five years, and a further term of two years", None),
        ("a term of ten (10) days", None),
    ];
    for (text, expected) in rows {
        let months = reading_of(text, |reading| propose(reading, DocumentKind::Lease)).months;
        let best = months
            .iter()
            .filter(|candidate| candidate.confidence >= Confidence::percent(85))
            .map(|candidate| candidate.value)
            .next();
        assert_eq!(best, expected, "{text}");
    }
}
