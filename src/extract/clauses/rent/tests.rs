//! Tests of the rules of the rent.

use super::*;
use crate::extract::tests::reading_of;

fn sure(text: &str) -> Option<(String, String)> {
    let rent = reading_of(text, |reading| propose(reading, DocumentKind::Lease));
    rent.base
        .iter()
        .filter(|candidate| candidate.confidence >= Confidence::percent(85))
        .max_by_key(|candidate| candidate.confidence)
        .map(|candidate| {
            let rent = candidate.value.rent;
            (format!("{} {}", rent.amount, rent.currency), rent.period.to_string())
        })
}

#[test]
fn rent_is_read_with_its_period() {
    let rows = [
        ("Base Rent: $5,000.00 per month", Some(("5000.00 USD", "monthly"))),
        (
            "Tenant shall pay annual Base Rent of $60,000.00, in equal monthly installments of $5,000.00",
            Some(("5000.00 USD", "monthly")),
        ),
        ("Annual Base Rent: $60,000.00", Some(("60000.00 USD", "annual"))),
        (
            "monthly base rent in the amount of Five Thousand Dollars ($5,000.00)",
            Some(("5000.00 USD", "monthly")),
        ),
        ("Base Rent of EUR 60.000,00 per annum", Some(("60000.00 EUR", "annual"))),
        (
            "The premises have 5,000 square feet.\nBase Rent\nPeriod\tRate per square foot per month\tRent\nLease Year 1\t$1.05\t$5,250.00\nLease Year 2\t$1.10\t$5,500.00",
            None,
        ),
        (
            "Annual Base Rent and Monthly Installment\n04/01/26 - 03/31/27$60,000.00$5,000.00\n04/01/27 - 03/31/28$61,200.00$5,100.00",
            Some(("5000.00 USD", "monthly")),
        ),
        ("Annual Base Rent (payable in equal monthly installments): $63,000.00", None),
        ("In equal monthly installments Tenant shall pay annual Base Rent of $63,000.00", None),
        ("The annual base rent is payable in twelve equal parts of $5,250.00", None),
        ("Annual base rent shall be paid in three installments of $15,750.00", None),
        (
            "The annual base rent is payable in equal monthly installments of $5,250.00",
            Some(("5250.00 USD", "monthly")),
        ),
        (
            "In twelve equal monthly installments, a base rent of $63,000.00 for each Lease Year",
            Some(("63000.00 USD", "annual")),
        ),
        ("Yearly rent, to be paid as monthly rent: $63,000.00", None),
        ("Base rent, payable on a monthly basis, of $63,000.00.", None),
        ("Base rent is the sum of $63,000.00, monthly, in advance, in equal installments.", None),
        (
            "Tenant shall pay monthly base rent in two halves: $2,625.00 on the first and $2,625.00 on the fifteenth",
            None,
        ),
        ("Tenant shall pay a monthly base rent of $5,250 + $1,000 in advance", None),
        ("Tenant shall pay forty percent of the base rent of $5,250.00 per month", None),
        ("Landlord itself pays base rent of $4,000.00 per month to the owner of the land", None),
        (
            "Base rent shall be $6,000.00 per month for the fourth and fifth years, and $5,250.00 per month for the first three years",
            Some(("5250.00 USD", "monthly")),
        ),
        ("The monthly base rent for June 2020 is $1,750.00, being for ten days only.", None),
        ("Base rent is $450.00 per month per desk", None),
        ("Base rent is $1,450.00 per month for each resident", None),
        ("Monthly base rent shall be up to $5,250.00", None),
        ("Monthly base rent of $5,000.00 to $5,250.00", None),
        ("Tenant no longer pays monthly base rent of $5,250.00", None),
        (
            "Base rent is $3,000.00 per month for the first floor and $2,250.00 per month for the second floor",
            None,
        ),
        ("Base rent is $3,000.00 per month plus $2,250.00 for the annex", None),
        (
            "Base Rent\nOffice Area\t$20.00\t$120,000.00\t$10,000.00\nMezzanine\t$5.00\t$6,000.00\t$500.00\nTotal\t\t$126,000.00\t$10,500.00",
            None,
        ),
        ("Base Rent\nOffice Area\t$20.00\t$120,000.00\t$10,000.00\nTotal\t\t$126,000.00\t$10,500.00\n", None),
        (
            "The tenants now rent the flat at $1,400.00 a month. The rent will be $1,500.00 per month",
            Some(("1500.00 USD", "monthly")),
        ),
        (
            "Base Rent\nMonths 1-12\t$60,000.00\t$5,000.00\nMonths 13-24\t$61,200.00\t$5,100.00",
            Some(("5000.00 USD", "monthly")),
        ),
        (
            "Annual Base Rent and Monthly Installment\n04/01/26 - 03/31/27\t$10.00\t$60,000.00\t$5,000.00",
            Some(("5000.00 USD", "monthly")),
        ),
        (
            "rent in the amount of Five Thousand and 00/100 Dollars ($5,000.00), in advance, on the first of each month (\"Base Rent\")",
            Some(("5000.00 USD", "monthly")),
        ),
        ("Base Rent of $12.00 per square foot per year", None),
        ("Base Rent of $5,000.00", None),
        ("monthly Base Rent of Four Thousand Dollars ($5,000.00)", None),
        ("Additional Rent is estimated at $5,000.00 per month", None),
        ("the monthly rent for parking is $500.00 per month", None),
        ("Base Rent is paid with a promotion charge of $250.00 per month", None),
        (
            "Rent \u{20ac}62,400 per annum plus VAT, in equal monthly payments (with VAT: \u{20ac}68,640 per annum)",
            Some(("62400 EUR", "annual")),
        ),
        ("At that size Base Rent would be about $280,000.00 per year or $23,333.33 per month", None),
        ("Maximum Monthly Base Rent: $4,500.00", None),
        ("Monthly Base Rent: $4,500.00 (TBC)", None),
        ("Monthly Base Rent: $4,300.00 now $4,500.00", None),
        ("Commencing with the second Lease Year Tenant shall pay base rent of $4,650.00 per month", None),
        ("The Minimum Rent falls by $500.00 per month", None),
        ("the Rent means \u{a3}16,500 per annum", Some(("16500 GBP", "annual"))),
        (
            "the \"Supplemental Rent\" means \u{a3}3,600 per annum; the Rent means \u{a3}16,500 per annum",
            Some(("16500 GBP", "annual")),
        ),
        ("Base Rent\nMonths 1-12\t$60,000.00\t$5,0e0.00\nMonths 13-24\t$61,200.00\t$5,100.00", None),
        ("Base Rent\nMonths 13-24\t$61,200.00\t$5,100.00", None),
        ("Base Rent\nMonths 13-24\t$61,200.00\t$5,100.00\nMonths 1-12\t$60,000.00\t$5,000.00", None),
        ("Base Rent\nSuite 2001\t$60,000.00\t$5,000.00\nSuite 2002\t$48,000.00\t$4,000.00", None),
        ("During the renewal term Base Rent is $7,000.00 per month", None),
        ("Annual Base Rent of $60,000.00 in monthly installments of $4,500.00", None),
        (
            "Premises of 4,800 rentable square feet\nBase Rent\n1-60\t$12.50\t$5,000.00\n61-120\t$14.00\t$5,600.00",
            Some(("5000.00 USD", "monthly")),
        ),
        (
            "Premises of 4,800 rentable square feet\nBase Rent\n1-60\t$12.50\t$60,000.00",
            Some(("60000.00 USD", "annual")),
        ),
        ("Premises of 4,900 rentable square feet\nBase Rent\n1-60\t$12.50\t$5,000.00", None),
        (
            "Base Rent is abated for four months, then\nMonths 5-16\t$60,000.00\t$5,000.00",
            Some(("5000.00 USD", "monthly")),
        ),
        (
            "Base Rent\n1\t12\t20,000\t$60,000.00\t$5,000.00\n13\t24\t20,000\t$61,200.00\t$5,100.00",
            Some(("5000.00 USD", "monthly")),
        ),
        ("Operating expenses\nMonths 1-12\t$60,000.00\t$5,000.00", None),
        ("Base Rent\nSuite A\t$60,000.00\t$5,000.00\nSuite B\t$12,000.00\t$1,000.00", None),
        ("Base Rent: $____ per month", None),
        ("Base Rent:\t$6,000.00 per month\nSecurity Deposit:\t$5,000.00", Some(("6000.00 USD", "monthly"))),
        ("monthly rent of $6,420.00, of which $6,000.00 is base rent", None),
        ("Base Rent of the greater of $6,000.00 per month and 5% of sales", None),
        ("Base Rent of $6,000.00 per month, subject to adjustment upon remeasurement", None),
        ("Base Rent of $72,000.00 per year. The deposit is $6,000.00.", Some(("72000.00 USD", "annual"))),
        ("The rent is $2,000.00 each month. Base Rent is defined below.", None),
        ("The rent is $2,000.00 each month.", Some(("2000.00 USD", "monthly"))),
        (
            "6\tRent\t$5,000.00 per month\n7\tService charge\t$900.00 per month",
            Some(("5000.00 USD", "monthly")),
        ),
        (
            "The initial rent, on a yearly basis, is EUR 60,000.00, exclusive of VAT.",
            Some(("60000.00 EUR", "annual")),
        ),
        ("a quarterly rent, which is $15,000.00 per quarter", None),
        (
            "Additional Rent (estimate)\t$4.00 per foot\t$19,200.00\t$1,600.00\nFrom the start the tenant pays to the landlord, in advance and without demand, on the first day of every calendar month of the term, Net Rent as follows:\n1 and 2\t$12.50\t$60,000.00\t$5,000.00\n3\t$13.00\t$62,400.00\t$5,200.00",
            Some(("5000.00 USD", "monthly")),
        ),
        (
            "Base Rent is payable as follows\nPeriod\tMonthly Base Rent\nMonths 1-12\t$5,000.00\nMonths 13-24\t$5,100.00",
            Some(("5000.00 USD", "monthly")),
        ),
        ("Base Rent\nPeriod\tRent\nMonths 1-12\t$5,000.00\nMonths 13-24\t$5,100.00", None),
        (
            "Base Rent\nYear 1\t$60,000.00 per annum\nYear 2\t$61,000.00 per annum",
            Some(("60000.00 USD", "annual")),
        ),
        (
            "the lessee has the privilege of renewing this lease for one term of five years from the first day of May, upon notice in writing and at a yearly rent of $42,000.00",
            None,
        ),
        (
            "Notice period: six months\nExtension period: two years\nAnnual rent: $60,000.00",
            Some(("60000.00 USD", "annual")),
        ),
        ("semi-annual rent of $30,000.00", None),
        ("quarterly payments of annual Base Rent of $15,000.00", None),
        ("Base Rent of $50.00 per month per desk", None),
        ("monthly rent of $5,000.00 per month per suite", None),
        (
            "Base Rent for the first year of Sixty Thousand Dollars ($60,000.00), due in installments on the first day of each month",
            None,
        ),
        ("Base Rent for the term is $300,000.00, payable in part on the first day of each month", None),
        ("The Base Rent under the Prime Lease is $9,000.00 per month", None),
        ("6. Option. Tenant may extend. Base Rent is then $6,000.00 per month.", None),
        ("5. Holding Over. The monthly Base Rent is then $6,000.00 per month.", None),
        // Words between a figure and its period, and periods in other words.
        ("The Base Rent is $5,000.00 plus GST per month", Some(("5000.00 USD", "monthly"))),
        (
            "The Base Rent is \u{a3}5,000.00 sterling for each and every calendar month",
            Some(("5000.00 GBP", "monthly")),
        ),
        ("Rent per month: $5,000.00", Some(("5000.00 USD", "monthly"))),
        ("Rent per year ........ $60,000.00", Some(("60000.00 USD", "annual"))),
        ("Monthly base rent ........ $5,000.00", Some(("5000.00 USD", "monthly"))),
        ("Paying therefor yearly during the term the rent of \u{a3}60,000", Some(("60000 GBP", "annual"))),
        (
            "4. Rent. The shop is a fine one. The tenant pays $5,000.00 per month on the first.",
            Some(("5000.00 USD", "monthly")),
        ),
        ("4. Parking. The lot is a fine one. The tenant pays $500.00 per month on the first.", None),
        // A rent of another time, of a case, or of one of several spaces.
        ("For the rest of the term, Base Rent is $6,000.00 per month", None),
        ("On the second anniversary Base Rent becomes $6,000.00 per month", None),
        ("Twelve months after the commencement, Base Rent is $6,000.00 per month", None),
        ("Base Rent rises to $6,000.00 per month", None),
        ("Base Rent was $4,000.00 per month under a lease that has ended", None),
        (
            "Base Rent is $5,000.00 per month until the term be complete and ended",
            Some(("5000.00 USD", "monthly")),
        ),
        ("If the shop is fitted out, Base Rent is $6,000.00 per month", None),
        ("Should the shop be fitted out, Base Rent is $6,000.00 per month", None),
        ("Suite 12 Base Rent: $6,000.00 per month", None),
        ("Monthly Base Rent below $6,000.00", None),
        ("for such further term, at a base rent of $6,000.00 per month", None),
        (
            "The tenant pays (a) Base Rent of $5,000.00 per month; and (b) for its sign $40.00 per month",
            Some(("5000.00 USD", "monthly")),
        ),
        (
            "Base Rent is $5,000.00 per month. Beginning on June 1, 2027 the monthly Base Rent is Six Thousand Dollars ($6,000.00)",
            Some(("5000.00 USD", "monthly")),
        ),
        (
            "Security Deposit: $5,000.00\nBase Rent\nMonths 1-12\t$60,000.00\t$5,000.00\nMonths 13-24\t$61,200.00\t$5,100.00",
            Some(("5000.00 USD", "monthly")),
        ),
    ];
    for (text, expected) in rows {
        let expected = expected.map(|(amount, period)| (amount.to_owned(), period.to_owned()));
        assert_eq!(sure(text), expected, "{text}");
    }
}

#[test]
fn what_has_few_witnesses_is_shown_and_not_posted() {
    let rows = [("a base rent, in each year, of $15,000.00 per quarter", "60000.00", "rent_each_quarter")];
    for (text, amount, rule) in rows {
        let base = reading_of(text, |reading| propose(reading, DocumentKind::Lease)).base;
        let best = base.iter().max_by_key(|candidate| candidate.confidence);
        let best = best.map(|best| (best.value.rent.amount.to_string(), best.rule));
        assert_eq!(best, Some((amount.to_owned(), rule)), "{text}");
        assert_eq!(sure(text), None, "{text}");
    }
}

#[test]
fn a_table_on_one_long_line_is_read_by_its_arithmetic() {
    let filler = "The building stands on its land. ".repeat(20);
    let text = format!(
        "{filler}BASE RENT FOR BUILDING PERIOD RENT/FOOT MONTHLY RENT ANNUAL RENT ----- Years1-10 $ 5.00 $ 5,000.00 $ 60,000.00 \
         Years11-20 $ 6.00 $ 6,000.00 $ 72,000.00"
    );
    assert_eq!(sure(&text), Some(("5000.00 USD".to_owned(), "monthly".to_owned())));
}

#[test]
fn steps_in_running_text_do_not_contradict_the_first() {
    let text = "Base Rent: Months 1 - 4: Zero Dollars ($0.00) (Base Rent is abated). \
        Months 5 - 16: $60,000.00 per annum payable monthly, in equal monthly\ninstallments of $5,000.00. \
        Months 17 - 28: $61,200.00 per annum payable monthly, in equal monthly\ninstallments of $5,100.00.";
    let base = reading_of(text, |reading| propose(reading, DocumentKind::Lease)).base;
    let best = base.iter().max_by_key(|candidate| candidate.confidence).expect("there is a rent");
    assert_eq!(best.value.rent.amount.to_string(), "5000.00");
    for candidate in &base {
        assert!(best.value.agrees_with(&candidate.value), "{:?}", candidate.value.rent);
    }
}

#[test]
fn an_amendment_tells_of_the_old_rent_in_its_recitals() {
    let text = "A. Tenant pays Base Rent of $5,000.00 per month.\nNOW, THEREFORE\n1. Base Rent is $6,000.00 per month.";
    let sure = |kind| {
        let base = reading_of(text, |reading| propose(reading, kind)).base;
        base.iter()
            .filter(|candidate| candidate.confidence >= Confidence::percent(85))
            .map(|candidate| candidate.value.rent.amount.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(sure(DocumentKind::Amendment), ["6000.00"]);
    assert_eq!(sure(DocumentKind::Lease), ["5000.00", "6000.00"]);
}

#[test]
fn a_table_gives_its_steps() {
    let text = "Base Rent\nMonths 1-12\t$60,000.00\t$5,000.00\nMonths 13-24\t$61,200.00\t$5,100.00\nTotal\t$121,200.00\t$10,100.00";
    let schedule = reading_of(text, |reading| propose(reading, DocumentKind::Lease)).schedule;
    let steps: Vec<(String, String)> =
        schedule.iter().map(|step| (step.label.clone(), step.rent.amount.to_string())).collect();
    assert_eq!(
        steps,
        [("Months 1-12".to_owned(), "5000.00".to_owned()), ("Months 13-24".to_owned(), "5100.00".to_owned())]
    );
}
