//! Colours of text and of the ground that it stands on, as far as it matters whether the one is seen on the other.

use rust_decimal::Decimal;

/// From which light on each part of a colour is as good as white, in parts of 255.
const PALE_MIN_PARTS: u8 = 0xe0;
/// Up to which light each part of a colour is as good as black, in parts of 255.
const DARK_MAX_PARTS: u8 = 0x30;
/// By how much two colours differ at most in each part where nobody tells them apart, in parts of 255.
const ALIKE_MAX_PARTS: u8 = 0x1f;
/// Full light, or full cover, in parts of 255.
const FULL_PARTS: u8 = 0xff;
/// A whole turn of the circle of hues, in degrees.
const TURN_DEGREES: u32 = 360;

/// The names that CSS gives to colours, those of a reader's own window among them, each before its colour.
const NAMED: &str = "aliceblue f0f8ff antiquewhite faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff beige f5f5dc \
    bisque ffe4c4 black 000000 blanchedalmond ffebcd blue 0000ff blueviolet 8a2be2 brown a52a2a \
    burlywood deb887 buttontext 000000 cadetblue 5f9ea0 canvas ffffff canvastext 000000 \
    chartreuse 7fff00 chocolate d2691e coral ff7f50 cornflowerblue 6495ed cornsilk fff8dc crimson dc143c \
    cyan 00ffff darkblue 00008b darkcyan 008b8b darkgoldenrod b8860b darkgray a9a9a9 darkgreen 006400 \
    darkgrey a9a9a9 darkkhaki bdb76b darkmagenta 8b008b darkolivegreen 556b2f darkorange ff8c00 \
    darkorchid 9932cc darkred 8b0000 darksalmon e9967a darkseagreen 8fbc8f darkslateblue 483d8b \
    darkslategray 2f4f4f darkslategrey 2f4f4f darkturquoise 00ced1 darkviolet 9400d3 deeppink ff1493 \
    deepskyblue 00bfff dimgray 696969 dimgrey 696969 dodgerblue 1e90ff firebrick b22222 \
    floralwhite fffaf0 forestgreen 228b22 fuchsia ff00ff gainsboro dcdcdc ghostwhite f8f8ff gold ffd700 \
    goldenrod daa520 gray 808080 green 008000 greenyellow adff2f grey 808080 honeydew f0fff0 \
    hotpink ff69b4 indianred cd5c5c indigo 4b0082 ivory fffff0 khaki f0e68c lavender e6e6fa \
    lavenderblush fff0f5 lawngreen 7cfc00 lemonchiffon fffacd lightblue add8e6 lightcoral f08080 \
    lightcyan e0ffff lightgoldenrodyellow fafad2 lightgray d3d3d3 lightgreen 90ee90 lightgrey d3d3d3 \
    lightpink ffb6c1 lightsalmon ffa07a lightseagreen 20b2aa lightskyblue 87cefa lightslategray 778899 \
    lightslategrey 778899 lightsteelblue b0c4de lightyellow ffffe0 lime 00ff00 limegreen 32cd32 \
    linen faf0e6 magenta ff00ff maroon 800000 mediumaquamarine 66cdaa mediumblue 0000cd \
    mediumorchid ba55d3 mediumpurple 9370db mediumseagreen 3cb371 mediumslateblue 7b68ee \
    mediumspringgreen 00fa9a mediumturquoise 48d1cc mediumvioletred c71585 midnightblue 191970 \
    mintcream f5fffa mistyrose ffe4e1 moccasin ffe4b5 navajowhite ffdead navy 000080 oldlace fdf5e6 \
    olive 808000 olivedrab 6b8e23 orange ffa500 orangered ff4500 orchid da70d6 palegoldenrod eee8aa \
    palegreen 98fb98 paleturquoise afeeee palevioletred db7093 papayawhip ffefd5 peachpuff ffdab9 \
    peru cd853f pink ffc0cb plum dda0dd powderblue b0e0e6 purple 800080 rebeccapurple 663399 red ff0000 \
    rosybrown bc8f8f royalblue 4169e1 saddlebrown 8b4513 salmon fa8072 sandybrown f4a460 seagreen 2e8b57 \
    seashell fff5ee sienna a0522d silver c0c0c0 skyblue 87ceeb slateblue 6a5acd slategray 708090 \
    slategrey 708090 snow fffafa springgreen 00ff7f steelblue 4682b4 tan d2b48c teal 008080 \
    thistle d8bfd8 tomato ff6347 turquoise 40e0d0 violet ee82ee wheat f5deb3 white ffffff \
    whitesmoke f5f5f5 window ffffff windowtext 000000 yellow ffff00 yellowgreen 9acd32";

/// A colour, by its red, green and blue and by how much of what lies under it it covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Colour {
    light: [u8; 3],
    cover: u8,
}

/// What a document says of a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    /// It is this one.
    Of(Colour),
    /// It is that of what stands around, or the reader's own.
    AsAround,
    /// It is said in a way that is not followed.
    Unknown,
}

impl Colour {
    /// Ink that nobody coloured.
    pub const BLACK: Self = Self { light: [0; 3], cover: FULL_PARTS };
    /// Paper.
    pub const WHITE: Self = Self { light: [FULL_PARTS; 3], cover: FULL_PARTS };

    /// A colour of hexadecimal digits, one or two for each part, with or without its cover.
    pub fn of_hex(digits: &str) -> Option<Self> {
        let width = match digits.len() {
            3 | 4 => 1,
            6 | 8 => 2,
            _ => return None,
        };
        let part = |index: usize| {
            let digits = digits.get(index * width..(index + 1) * width)?;
            let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
            let part = u8::from_str_radix(digits, 16).ok().filter(|_| is_hex)?;
            Some(if width == 1 { part * 0x11 } else { part })
        };
        let cover = if digits.len() == 4 * width { part(3)? } else { FULL_PARTS };
        Some(Self { light: [part(0)?, part(1)?, part(2)?], cover })
    }

    /// A colour by its name, in lower case.
    pub fn of_name(name: &str) -> Option<Self> {
        let mut words = NAMED.split(' ');
        while let (Some(known), Some(digits)) = (words.next(), words.next()) {
            if known == name {
                return Self::of_hex(digits);
            }
        }
        (name == "transparent").then_some(Self { cover: 0, ..Self::BLACK })
    }

    /// The same colour, covering only a share, in parts of a hundred.
    pub fn thinned_to(self, percent: u8) -> Self {
        let cover = u16::from(self.cover) * u16::from(percent.min(100)) / 100;
        Self { cover: u8::try_from(cover).unwrap_or(FULL_PARTS), ..self }
    }

    /// What is seen where this colour lies over another.
    pub fn over(self, under: Self) -> Self {
        let mix = |index: usize| {
            let (above, below) = (u32::from(self.light[index]), u32::from(under.light[index]));
            let (cover, full) = (u32::from(self.cover), u32::from(FULL_PARTS));
            u8::try_from((above * cover + below * (full - cover)) / full).unwrap_or(FULL_PARTS)
        };
        Self { light: [mix(0), mix(1), mix(2)], cover: self.cover.max(under.cover) }
    }

    /// Whether text of this colour is told apart from its ground.
    pub fn is_seen_on(self, ground: Self) -> bool {
        let shown = self.over(ground);
        let every = |is: fn(u8, u8) -> bool| {
            shown.light.iter().zip(ground.light).all(|(&part, ground)| is(part, ground))
        };
        !every(|part, ground| part.min(ground) >= PALE_MIN_PARTS)
            && !every(|part, ground| part.max(ground) <= DARK_MAX_PARTS)
            && !every(|part, ground| part.abs_diff(ground) <= ALIKE_MAX_PARTS)
    }

    /// Whether nothing under it is seen.
    pub fn is_whole(self) -> bool {
        self.cover == FULL_PARTS
    }
}

impl Paint {
    /// A colour as CSS or an old attribute of HTML has it, in lower case.
    pub fn of_css(value: &str) -> Self {
        let value = value.trim();
        if matches!(
            value,
            "" | "inherit" | "initial" | "unset" | "revert" | "revert-layer" | "currentcolor" | "auto"
        ) {
            return Self::AsAround;
        }
        let colour = match value.split_once('(') {
            Some((function, rest)) => of_function(function, rest),
            // Browsers take digits without their mark as well.
            None => Colour::of_name(value).or_else(|| {
                let digits = value.strip_prefix('#');
                Colour::of_hex(digits.or(Some(value).filter(|value| matches!(value.len(), 3 | 6)))?)
            }),
        };
        colour.map_or(Self::Unknown, Self::Of)
    }
}

/// A colour as a function of CSS gives it, `rgb(` or `hsl(` with or without a cover.
fn of_function(function: &str, rest: &str) -> Option<Colour> {
    let values = rest.strip_suffix(')')?;
    let mut parts = values.split([',', ' ', '/']).filter(|part| !part.is_empty());
    let (first, second, third) = (parts.next()?, parts.next()?, parts.next()?);
    let light = match function.trim_end_matches('a') {
        "rgb" => {
            let part = |part: &str| parts_of(part, Decimal::ONE);
            [part(first)?, part(second)?, part(third)?]
        }
        "hsl" => of_hue(first, share_of(second)?, share_of(third)?)?,
        _ => return None,
    };
    let cover = parts.next().map_or(Some(FULL_PARTS), |cover| parts_of(cover, Decimal::from(FULL_PARTS)))?;
    Some(Colour { light, cover }).filter(|_| parts.next().is_none())
}

/// A number, or a share of all, in parts of 255, where a whole number counts so many of them.
fn parts_of(value: &str, one_parts: Decimal) -> Option<u8> {
    let parts = match value.strip_suffix('%') {
        Some(_) => share_of(value)?.checked_mul(Decimal::from(FULL_PARTS))?,
        None => value.parse::<Decimal>().ok()?.checked_mul(one_parts)?,
    };
    u8::try_from(parts.round().clamp(Decimal::ZERO, Decimal::from(FULL_PARTS))).ok()
}

/// A percentage as a share of one.
fn share_of(percent: &str) -> Option<Decimal> {
    let percent: Decimal = percent.trim_end_matches('%').parse().ok()?;
    Some(percent.clamp(Decimal::ZERO, Decimal::ONE_HUNDRED) / Decimal::ONE_HUNDRED)
}

/// Red, green and blue of a hue in degrees, of its strength and its light.
fn of_hue(hue: &str, strength: Decimal, light: Decimal) -> Option<[u8; 3]> {
    let turn = Decimal::from(TURN_DEGREES);
    let hue: Decimal = hue.trim_end_matches("deg").parse().ok()?;
    let hue = hue.checked_rem(turn)? + turn;
    let reach = strength * light.min(Decimal::ONE - light);
    let part = |offset: u32| {
        let at = ((Decimal::from(offset) + hue / Decimal::from(30)) % Decimal::from(12)).round_dp(6);
        let slope = (at - Decimal::from(3)).min(Decimal::from(9) - at).clamp(-Decimal::ONE, Decimal::ONE);
        let share = light - reach * slope;
        u8::try_from(
            (share * Decimal::from(FULL_PARTS)).round().clamp(Decimal::ZERO, Decimal::from(FULL_PARTS)),
        )
        .ok()
    };
    Some([part(0)?, part(8)?, part(4)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_however_they_are_written() {
        let of = |digits: &str| Colour::of_hex(digits).map_or(Paint::Unknown, Paint::Of);
        let rows = [
            ("#fff", of("ffffff")),
            ("#0369", of("00336699")),
            ("003366", of("003366")),
            ("white", of("ffffff")),
            ("rebeccapurple", of("663399")),
            ("windowtext", of("000000")),
            ("transparent", of("00000000")),
            ("rgb(255, 0, 51)", of("ff0033")),
            ("rgb(100% 0% 20%)", of("ff0033")),
            ("rgba(0,0,0,0)", of("00000000")),
            ("rgb(0 0 0 / 40%)", of("00000066")),
            ("rgb(300,-5,0)", of("ff0000")),
            ("hsl(0, 0%, 100%)", of("ffffff")),
            ("hsl(120deg 100% 25%)", of("008000")),
            ("hsla(210, 100%, 20%, 1)", of("003366")),
            ("hsl(-150,100%,20%)", of("003366")),
            ("inherit", Paint::AsAround),
            ("currentcolor", Paint::AsAround),
            ("auto", Paint::AsAround),
            ("", Paint::AsAround),
            ("#ff", Paint::Unknown),
            ("#+f+f+f", Paint::Unknown),
            ("\u{e9}\u{e9}\u{e9}", Paint::Unknown),
            ("paper", Paint::Unknown),
            ("var(--ink)", Paint::Unknown),
            ("rgb(0,0)", Paint::Unknown),
            ("rgb(0,0,0", Paint::Unknown),
            ("rgb(0,0,0,1,1)", Paint::Unknown),
            ("hsl(99999999999999999999999999999999,0%,0%)", Paint::Unknown),
        ];
        for (value, expected) in rows {
            assert_eq!(Paint::of_css(value), expected, "{value}");
        }
    }

    #[test]
    fn what_is_alike_is_not_seen() {
        let rows = [
            ("000000", "ffffff", true),
            ("ffffff", "ffffff", false),
            ("e0e0e0", "ffffff", false),
            ("c0c0c0", "ffffff", true),
            ("ffffff", "003366", true),
            ("000000", "000000", false),
            ("000000", "303030", false),
            ("000000", "404040", true),
            ("ff0000", "ff0000", false),
            ("ee1100", "ff0000", false),
            ("ff0000", "00ff00", true),
            ("00000000", "ffffff", false),
            ("00000008", "ffffff", false),
            ("00000080", "ffffff", true),
        ];
        for (ink, ground, expected) in rows {
            let of = |digits| Colour::of_hex(digits).expect("the row's own digits");
            assert_eq!(of(ink).is_seen_on(of(ground)), expected, "{ink} on {ground}");
        }
    }
}
