//! What one page draws, and which of its glyphs a reader sees as text that counts: not those that are struck out,
//! covered, drawn in white on white, or outside the page.

use std::panic::resume_unwind;

use hayro_interpret::font::{Glyph, GlyphRun};
use hayro_interpret::hayro_cmap::BfString;
use hayro_interpret::hayro_syntax::page::Page;
use hayro_interpret::kurbo::{Affine, BezPath, PathEl, Point, Rect, Shape, Vec2};
use hayro_interpret::{
    BlendMode, ClipPath, Device, DrawMode, DrawProps, Image, ImageDrawProps, Paint, SoftMask,
};

use super::STAMPED_PAGE_PICTURE_MIN_PERCENT;
use super::layout::{Mark, line_text};
use crate::extract::clauses::kind::mark_of;
use crate::extract::doubt::{self, DoubtKind, Doubts};
use crate::extract::money;

/// Most drawing operations that are followed on one page, in calls. A densely set page has some ten
/// thousand; forms that draw each other over and over have billions.
const PAGE_OPERATIONS_MAX_COUNT: usize = 2_000_000;
/// Most comparisons of glyphs with lines or areas on one page. Beyond them the page is a drawing.
const PAGE_COMPARISONS_MAX_COUNT: usize = 50_000_000;
/// Most lines and areas that are kept of one page.
const PAGE_SHAPES_MAX_COUNT: usize = 100_000;
/// Thickest that a line through text is, in points.
const BAR_MAX_THICKNESS_POINTS: f64 = 3.0;
/// Shortest line that is looked at, in points.
const BAR_MIN_LENGTH_POINTS: f64 = 2.0;
/// Where above the baseline a line crosses letters, in sizes: below it underlines, above it is a rule of the line
/// before.
const BAR_RISE_SIZES: std::ops::Range<f64> = 0.14..0.48;
/// Least part of a line's length that the letters it crosses take up, in percent: a table's rule runs on.
const BAR_FILLED_MIN_PERCENT: f64 = 50.0;
/// Most slanting lines of a page that is no drawing.
const SLANTING_MAX_COUNT: usize = 60;
/// How far above the baseline a slanting line runs through letters, in sizes.
const SLANTING_RISE_SIZES: f64 = 0.7;
/// From how many figures on, and across how many lines of text, slanting lines strike something out.
const SLANTING_MIN_FIGURES: usize = 2;
/// The same in lines.
const SLANTING_MIN_LINES: usize = 2;
/// Words of a note beside the text that changes it, though it has no figure.
const WORDS_OF_TERMS: [&str; 9] =
    ["dollars", "pounds", "euros", "rent", "month", "replaced", "deleted", "amended", "corrected"];
/// Largest turn of text that still runs along the page, in radians.
const LEVEL_MAX_RADIANS: f64 = 0.3;
/// Fewest glyphs that run across the page for all of it to be read that way.
const TURNED_PAGE_MIN_GLYPHS: usize = 25;
/// From which size on letters can be a watermark, in points.
const WATERMARK_MIN_POINTS: f64 = 36.0;
/// How far, in sizes, letters of one turned line may be apart.
const TURNED_REACH_SIZES: f64 = 3.0;
/// From which lightness on a colour is white, of 1.
const WHITE_MIN: f32 = 0.98;
/// Up to which opacity nothing is seen, and from which on nothing is seen through, of 1.
const OPACITIES: (f32, f32) = (0.02, 0.99);
/// How far outside the page a glyph is still seen in part, in points.
const EDGE_POINTS: f64 = 2.0;
/// Least height of an area that can cover a glyph, in sizes.
const COVER_MIN_SIZES: f64 = 0.5;

/// From which sides on a picture beside text can hold text itself, the shorter and the longer, in points.
const TEXT_PICTURE_MIN_SIDES_POINTS: (f64, f64) = (108.0, 288.0);
/// From how many glyphs on a picture lies under text: it is a ground, or its own text lies over it.
const GROUND_MIN_GLYPHS: usize = 25;
/// Most pictures of a page that are measured.
const PAGE_IMAGES_MAX_COUNT: usize = 2_000;

/// Thrown through the interpreter to leave a page whose drawing has no end; never leaves the reader of PDFs.
pub(super) struct LimitMet;

/// What a reader sees of a page.
pub(super) struct SeenPage {
    /// The glyphs that are read.
    pub(super) marks: Vec<Mark>,
    /// Lines that run across the text, and watermarks.
    pub(super) beside: Vec<String>,
    /// What casts doubt on them.
    pub(super) doubts: Doubts,
    /// How much of the page pictures take up, in percent.
    pub(super) picture_percent: f64,
    /// Glyphs without ink, as machines write them that recognised a picture.
    pub(super) inkless: usize,
    /// Pictures that are large enough to hold text and under no text.
    pub(super) bare_pictures: usize,
}

/// How a glyph's colour is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ink {
    Plain,
    White,
    /// None, as machines that recognise text write it over the picture of a page.
    Invisible,
}

/// A glyph as it is drawn: from the top left, in points.
#[derive(Debug, Clone)]
struct Drawn {
    origin: Point,
    along: Vec2,
    size: f64,
    text: String,
    ink: Ink,
    /// How many areas were drawn before it.
    areas_before: usize,
    /// How many pictures that cover what lies beneath them were drawn before it.
    covering_before: usize,
}

/// A thin line.
#[derive(Debug, Clone, Copy)]
struct Bar {
    start: Point,
    end: Point,
    thickness: f64,
}

/// A filled area.
#[derive(Debug, Clone, Copy)]
struct Area {
    bounds: Rect,
    is_white: bool,
    /// Whether nothing beneath it is seen.
    covers: bool,
}

/// Collects what one page draws.
pub(super) struct Sheet {
    to_top_left: Affine,
    bounds: Rect,
    drawn: Vec<Drawn>,
    bars: Vec<Bar>,
    areas: Vec<Area>,
    /// What the page is clipped to: rectangles, and `None` where it is a shape whose extent says too much.
    clips: Vec<Option<Rect>>,
    /// The groups that are open: whether one is seen through.
    groups: Vec<bool>,
    unmapped: usize,
    images: Vec<Rect>,
    /// Those of them through which nothing is seen.
    covering: Vec<Rect>,
    operations_left: usize,
    glyphs_left: usize,
}

impl Sheet {
    pub(super) fn of(page: &Page<'_>, glyphs_left: usize) -> Self {
        let (width, height) = page.render_dimensions();
        Self {
            to_top_left: Affine::translate((0.0, f64::from(height))) * Affine::scale_non_uniform(1.0, -1.0),
            bounds: Rect::new(0.0, 0.0, f64::from(width), f64::from(height)),
            drawn: Vec::new(),
            bars: Vec::new(),
            areas: Vec::new(),
            clips: Vec::new(),
            groups: Vec::new(),
            unmapped: 0,
            images: Vec::new(),
            covering: Vec::new(),
            operations_left: PAGE_OPERATIONS_MAX_COUNT,
            glyphs_left,
        }
    }

    /// The page from one of its corners.
    pub(super) fn bounds(&self) -> Rect {
        self.bounds
    }

    /// Glyphs whose character is known.
    pub(super) fn glyphs(&self) -> usize {
        self.drawn.len()
    }

    /// Glyphs whose character is not.
    pub(super) fn unmapped(&self) -> usize {
        self.unmapped
    }

    /// Whether pictures are drawn.
    pub(super) fn has_images(&self) -> bool {
        !self.images.is_empty()
    }

    /// Counts one operation; leaves the interpreter when there have been too many. `resume_unwind` and not
    /// `panic!`, because a limit is no defect and must not reach the panic hook.
    fn count_operation(&mut self) {
        match self.operations_left.checked_sub(1) {
            Some(left) => self.operations_left = left,
            None => resume_unwind(Box::new(LimitMet)),
        }
    }

    fn count_glyph(&mut self) {
        self.count_operation();
        match self.glyphs_left.checked_sub(1) {
            Some(left) => self.glyphs_left = left,
            None => resume_unwind(Box::new(LimitMet)),
        }
    }

    fn see_path(&mut self, path: &BezPath, props: &DrawProps<'_>, mode: &DrawMode) {
        let colour = match &props.paint {
            Paint::Color(colour) => Some(colour.to_rgba().components()),
            Paint::Pattern(_) => None,
        };
        if colour.is_some_and(|[.., opacity]| opacity <= OPACITIES.0) {
            return;
        }
        let is_white = colour.is_some_and(is_white);
        let transform = self.to_top_left * props.transform;
        let scale = transform.determinant().abs().sqrt();
        let stroke = match mode {
            DrawMode::Stroke(stroke) | DrawMode::FillAndStroke(_, stroke) => Some(stroke),
            DrawMode::Fill(_) | DrawMode::Invisible => None,
        };
        if let Some(stroke) = stroke
            && !is_white
        {
            let thickness = f64::from(stroke.line_width) * scale;
            let (mut start, mut last) = (Point::ZERO, Point::ZERO);
            for element in path.elements() {
                self.count_operation();
                let end = match *element {
                    PathEl::MoveTo(point) => {
                        start = transform * point;
                        last = start;
                        continue;
                    }
                    PathEl::LineTo(point) | PathEl::QuadTo(_, point) | PathEl::CurveTo(_, _, point) => {
                        transform * point
                    }
                    PathEl::ClosePath => start,
                };
                self.keep_bar(Bar { start: last, end, thickness });
                last = end;
            }
        }
        if matches!(mode, DrawMode::Fill(_) | DrawMode::FillAndStroke(..)) {
            for part in parts_of(path) {
                self.count_operation();
                let bounds = (transform * part.clone()).bounding_box();
                let (width, height) = (bounds.width(), bounds.height());
                let middle = bounds.center();
                if width.min(height) <= BAR_MAX_THICKNESS_POINTS {
                    let (start, end) = if width >= height {
                        (Point::new(bounds.x0, middle.y), Point::new(bounds.x1, middle.y))
                    } else {
                        (Point::new(middle.x, bounds.y0), Point::new(middle.x, bounds.y1))
                    };
                    if !is_white {
                        self.keep_bar(Bar { start, end, thickness: width.min(height) });
                    }
                } else if bounds.is_finite() && self.areas.len() < PAGE_SHAPES_MAX_COUNT {
                    let is_opaque = colour.is_some_and(|[.., opacity]| opacity >= OPACITIES.1)
                        && props.soft_mask.is_none()
                        && props.blend_mode == BlendMode::Normal
                        && !self.groups.contains(&true);
                    let clipped = self
                        .clips
                        .iter()
                        .try_fold(bounds, |bounds, clip| clip.map(|clip| bounds.intersect(clip)));
                    let covers = is_opaque && clipped.is_some() && is_upright_rectangle(&(transform * part));
                    self.areas.push(Area { bounds: clipped.unwrap_or(bounds), is_white, covers });
                }
            }
        }
    }

    fn keep_bar(&mut self, bar: Bar) {
        let length = (bar.end - bar.start).hypot();
        let is_thin = bar.thickness <= BAR_MAX_THICKNESS_POINTS;
        if is_thin && length >= BAR_MIN_LENGTH_POINTS && self.bars.len() < PAGE_SHAPES_MAX_COUNT {
            self.bars.push(bar);
        }
    }

    /// What a reader sees of the page.
    pub(super) fn finish(self) -> SeenPage {
        let mut doubts = Doubts::default();
        let seen_area = self.bounds.inflate(EDGE_POINTS, EDGE_POINTS);
        let coverings = self.areas.len() + self.covering.len();
        let comparable = self.drawn.len().saturating_mul(coverings) <= PAGE_COMPARISONS_MAX_COUNT;
        let mut shown = Vec::with_capacity(self.drawn.len());
        let mut unseen = Vec::new();
        let is_over_picture = |middle: Point| self.images.iter().any(|image| image.contains(middle));
        let page_area = self.bounds.area().max(1.0);
        let on_page = self.images.iter().map(|image| image.intersect(self.bounds).area());
        let picture_percent = on_page.filter(|area| area.is_finite()).sum::<f64>() * 100.0 / page_area;
        if !comparable {
            doubts.note(
                DoubtKind::HiddenText,
                "a page with more shapes than are looked through for covered text",
            );
        }
        for mut drawn in self.drawn {
            let middle = drawn.middle();
            if !seen_area.contains(middle) {
                continue;
            }
            let later = if comparable { self.covering.get(drawn.covering_before..) } else { None };
            let is_under_picture =
                later.is_some_and(|pictures| pictures.iter().any(|picture| picture.contains(middle)));
            // Some machines write what they recognised with ink and lay the page's picture over it.
            if is_under_picture && picture_percent >= STAMPED_PAGE_PICTURE_MIN_PERCENT {
                drawn.ink = Ink::Invisible;
            }
            let (before, behind) =
                self.areas.split_at(if comparable { drawn.areas_before.min(self.areas.len()) } else { 0 });
            let behind = if comparable { behind } else { &[] };
            let is_covered = behind.iter().any(|area| {
                area.covers
                    && area.bounds.height() >= COVER_MIN_SIZES * drawn.size
                    && area.bounds.contains(middle)
            });
            let is_drawn = match drawn.ink {
                Ink::Plain => !is_under_picture,
                // Under it lies something dark, or a picture of which nobody knows how dark it is.
                Ink::White => {
                    is_over_picture(middle)
                        || !comparable
                        || before.iter().any(|area| !area.is_white && area.bounds.contains(middle))
                }
                Ink::Invisible => is_over_picture(middle),
            };
            if is_drawn && !is_covered { shown.push(drawn) } else { unseen.push(drawn) }
        }
        let inkless = shown.iter().filter(|drawn| drawn.ink == Ink::Invisible).count();
        let (shorter, longer) = TEXT_PICTURE_MIN_SIDES_POINTS;
        let large = self.images.iter().filter(|image| {
            image.width().min(image.height()) >= shorter && image.width().max(image.height()) >= longer
        });
        let bare_pictures = large
            .filter(|image| {
                let over = shown.iter().filter(|drawn| image.contains(drawn.middle()));
                over.take(GROUND_MIN_GLYPHS).count() < GROUND_MIN_GLYPHS
            })
            .count();
        let turn = turn_of_page(&shown);
        for line in lines_of(&unseen) {
            if doubt::can_hold_a_value(&line) {
                doubts.note(DoubtKind::HiddenText, &line);
            }
        }
        let (level, turned): (Vec<_>, Vec<_>) = shown.into_iter().partition(|drawn| {
            (drawn.turn() - turn).sin().abs() < LEVEL_MAX_RADIANS.sin() && (drawn.turn() - turn).cos() > 0.0
        });
        let mut beside = Vec::new();
        for line in lines_of(&turned) {
            let lowered = line.to_lowercase();
            let is_of_terms = lowered
                .split(|character: char| !character.is_alphabetic())
                .any(|word| WORDS_OF_TERMS.contains(&word));
            if is_of_terms || !money::find(&line, None).is_empty() {
                doubts.note(DoubtKind::RotatedText, &line);
            }
            beside.push(plain_mark(line));
        }
        let back = Affine::rotate(-turn);
        let mut marks: Vec<Mark> = level
            .into_iter()
            .map(|drawn| {
                let Point { x, y } = back * drawn.origin;
                Mark { x, y, width: drawn.along.hypot(), size: drawn.size, text: drawn.text }
            })
            .collect();
        let bars = self.bars.iter().map(|bar| Bar { start: back * bar.start, end: back * bar.end, ..*bar });
        let bars: Vec<Bar> = bars.collect();
        look_at_slanting(&marks, &bars, &mut doubts);
        take_struck(&mut marks, bars.into_iter(), &mut doubts);
        take_watermark(&mut marks, &mut beside);
        SeenPage { marks, beside, doubts, picture_percent, inkless, bare_pictures }
    }
}

impl Drawn {
    fn turn(&self) -> f64 {
        self.along.y.atan2(self.along.x)
    }

    /// A point within the letter.
    fn middle(&self) -> Point {
        let up = if self.along.hypot() > 0.0 { self.along / self.along.hypot() } else { Vec2::ZERO };
        self.origin + self.along / 2.0 + Vec2::new(up.y, -up.x) * self.size * 0.3
    }
}

/// The direction in which a page is read: along it, unless most of its text runs another way.
fn turn_of_page(drawn: &[Drawn]) -> f64 {
    use std::f64::consts::{FRAC_PI_2, PI};
    let count = |turn: f64| {
        drawn
            .iter()
            .filter(|drawn| {
                !drawn.text.trim().is_empty() && (drawn.turn() - turn).cos() > LEVEL_MAX_RADIANS.cos()
            })
            .count()
    };
    let level = count(0.0);
    [FRAC_PI_2, -FRAC_PI_2, PI]
        .into_iter()
        .map(|turn| (count(turn), turn))
        .filter(|(glyphs, _)| *glyphs > level && *glyphs >= TURNED_PAGE_MIN_GLYPHS)
        .max_by_key(|(glyphs, _)| *glyphs)
        .map_or(0.0, |(_, turn)| turn)
}

/// Glyphs in the order in which they are drawn, as lines.
fn lines_of(drawn: &[Drawn]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut last: Option<&Drawn> = None;
    for glyph in drawn {
        let gap = last.and_then(|last| {
            let unit = last.along / last.along.hypot().max(f64::MIN_POSITIVE);
            let from_end = glyph.origin - (last.origin + last.along);
            let (along, across) = (from_end.dot(unit), from_end.cross(unit).abs());
            let same_line = across < 0.5 * last.size
                && along.abs() < TURNED_REACH_SIZES * last.size
                && (last.turn() - glyph.turn()).cos() > LEVEL_MAX_RADIANS.cos();
            same_line.then_some(along / last.size)
        });
        match (gap, lines.last_mut()) {
            (Some(gap), Some(line)) => {
                if gap > super::layout::WORD_GAP_SIZES {
                    line.push(' ');
                }
                line.push_str(&glyph.text);
            }
            _ => lines.push(glyph.text.clone()),
        }
        last = Some(glyph);
    }
    lines
}

/// A mark whose letters are set apart, in one word.
fn plain_mark(line: String) -> String {
    mark_of(&line).map_or(line, str::to_uppercase)
}

/// Takes large letters that are a mark, such as "draft", out of the lines that they would tear.
fn take_watermark(marks: &mut Vec<Mark>, beside: &mut Vec<String>) {
    let large: Vec<Mark> = marks.iter().filter(|mark| mark.size >= WATERMARK_MIN_POINTS).cloned().collect();
    if large.is_empty() {
        return;
    }
    let word = plain_mark(line_text(large));
    if mark_of(&word).is_some() {
        marks.retain(|mark| mark.size < WATERMARK_MIN_POINTS);
        beside.push(word);
    }
}

/// Notes what lines that slant, such as those of a zigzag or a cross, run through: nobody can tell from them where what is
/// struck out ends, so that nothing is taken out.
fn look_at_slanting(marks: &[Mark], bars: &[Bar], doubts: &mut Doubts) {
    let slanting: Vec<&Bar> = bars
        .iter()
        .filter(|bar| {
            let (across, down) = ((bar.end.x - bar.start.x).abs(), (bar.end.y - bar.start.y).abs());
            across > BAR_MAX_THICKNESS_POINTS && down > BAR_MAX_THICKNESS_POINTS
        })
        .collect();
    // A page of slanting lines is a drawing.
    let comparisons = slanting.len().saturating_mul(marks.len());
    if slanting.len() > SLANTING_MAX_COUNT || comparisons > PAGE_COMPARISONS_MAX_COUNT {
        return;
    }
    let mut crossed = vec![false; marks.len()];
    for bar in slanting {
        for (mark, crossed) in marks.iter().zip(&mut crossed) {
            let at = (mark.x + mark.width / 2.0 - bar.start.x) / (bar.end.x - bar.start.x);
            let y = bar.start.y + at * (bar.end.y - bar.start.y);
            let is_within =
                (0.0..=1.0).contains(&at) && (mark.y - SLANTING_RISE_SIZES * mark.size..mark.y).contains(&y);
            *crossed |= is_within && !mark.text.trim().is_empty();
        }
    }
    let through: Vec<&Mark> =
        marks.iter().zip(crossed).filter_map(|(mark, crossed)| crossed.then_some(mark)).collect();
    let mut baselines: Vec<f64> = through.iter().map(|mark| mark.y).collect();
    baselines.sort_by(f64::total_cmp);
    baselines.dedup_by(|a, b| (*a - *b).abs() <= BAR_MAX_THICKNESS_POINTS);
    let figures = through.iter().filter(|mark| doubt::holds_a_figure(&mark.text)).count();
    if figures >= SLANTING_MIN_FIGURES || baselines.len() >= SLANTING_MIN_LINES {
        let words = line_text(through.into_iter().cloned().collect());
        doubts.note(DoubtKind::StruckOutText, &format!("a slanting line through: {words}"));
    }
}

/// Takes out the letters through which a line is drawn, and notes what they said.
fn take_struck(marks: &mut Vec<Mark>, bars: impl Iterator<Item = Bar>, doubts: &mut Doubts) {
    marks.sort_by(|a, b| a.y.total_cmp(&b.y));
    let largest = marks.iter().map(|mark| mark.size).fold(0.0, f64::max);
    let mut struck = vec![false; marks.len()];
    let mut comparisons_left = PAGE_COMPARISONS_MAX_COUNT;
    for bar in bars {
        let (left, right) = (bar.start.x.min(bar.end.x), bar.start.x.max(bar.end.x));
        let y = (bar.start.y + bar.end.y) / 2.0;
        if (bar.start.y - bar.end.y).abs() > BAR_MAX_THICKNESS_POINTS || right - left < BAR_MIN_LENGTH_POINTS
        {
            continue;
        }
        let first = marks.partition_point(|mark| mark.y < y);
        let near = marks[first..].iter().take_while(|mark| mark.y - y < BAR_RISE_SIZES.end * largest);
        let mut crossed = Vec::new();
        for (index, mark) in near.enumerate() {
            let Some(left_over) = comparisons_left.checked_sub(1) else {
                doubts
                    .note(DoubtKind::StruckOutText, "a page with more lines than are compared with its text");
                return;
            };
            comparisons_left = left_over;
            let middle = mark.x + mark.width / 2.0;
            if BAR_RISE_SIZES.contains(&((mark.y - y) / mark.size)) && (left..=right).contains(&middle) {
                crossed.push(first + index);
            }
        }
        let filled: f64 = crossed.iter().map(|index| marks[*index].width).sum();
        if filled * 100.0 < (right - left) * BAR_FILLED_MIN_PERCENT {
            continue;
        }
        let words = line_text(crossed.iter().map(|index| marks[*index].clone()).collect());
        if doubt::can_hold_a_value(&words) {
            doubts.note(DoubtKind::StruckOutText, &words);
        }
        for index in crossed {
            struck[index] = true;
        }
    }
    let mut struck = struck.into_iter();
    marks.retain(|_| !struck.next().unwrap_or_default());
}

fn is_white([red, green, blue, _]: [f32; 4]) -> bool {
    [red, green, blue].into_iter().all(|part| part >= WHITE_MIN)
}

/// The parts of a path, each drawn without lifting the pen.
fn parts_of(path: &BezPath) -> Vec<BezPath> {
    let mut parts: Vec<BezPath> = Vec::new();
    for element in path.elements() {
        match (element, parts.last_mut()) {
            (PathEl::MoveTo(_), _) | (_, None) => {
                let mut part = BezPath::new();
                // Whatever a path begins with, its first point is where the pen is put.
                part.move_to(element.end_point().unwrap_or_default());
                parts.push(part);
            }
            (_, Some(part)) => part.push(*element),
        }
    }
    parts
}

/// Whether a path is a rectangle along the page.
fn is_upright_rectangle(path: &BezPath) -> bool {
    let mut points = Vec::new();
    for element in path.elements() {
        match element {
            PathEl::MoveTo(point) | PathEl::LineTo(point) => points.push(*point),
            PathEl::ClosePath => {}
            PathEl::QuadTo(..) | PathEl::CurveTo(..) => return false,
        }
    }
    let bounds = path.bounding_box();
    let is_at = |a: f64, b: f64| (a - b).abs() < 0.1;
    (4..=5).contains(&points.len())
        && points.iter().all(|point| {
            (is_at(point.x, bounds.x0) || is_at(point.x, bounds.x1))
                && (is_at(point.y, bounds.y0) || is_at(point.y, bounds.y1))
        })
        && (path.area().abs() - bounds.area()).abs() <= 0.02 * bounds.area()
}

impl Device<'_> for Sheet {
    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'_>, mode: &DrawMode) {
        self.count_operation();
        self.see_path(path, &props, mode);
    }

    fn push_clip_path(&mut self, clip: &ClipPath) {
        self.count_operation();
        let path = self.to_top_left * clip.path.clone();
        self.clips.push(is_upright_rectangle(&path).then(|| path.bounding_box()));
    }

    fn push_clip_rect(&mut self, rect: &Rect) {
        self.count_operation();
        self.clips.push(Some(self.to_top_left.transform_rect_bbox(*rect)));
    }

    fn draw_rect(&mut self, rect: &Rect, props: DrawProps<'_>, mode: &DrawMode) {
        self.count_operation();
        self.see_path(&rect.to_path(0.1), &props, mode);
    }

    fn push_transparency_group(&mut self, opacity: f32, mask: Option<SoftMask<'_>>, blend_mode: BlendMode) {
        self.count_operation();
        self.groups.push(opacity < OPACITIES.1 || mask.is_some() || blend_mode != BlendMode::Normal);
    }

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, '_>, props: DrawProps<'_>, mode: &DrawMode) {
        let ink = match (&props.paint, mode) {
            (_, DrawMode::Invisible) => Ink::Invisible,
            (Paint::Color(colour), _) => match colour.to_rgba().components() {
                [.., opacity] if opacity <= OPACITIES.0 => Ink::Invisible,
                colour if is_white(colour) => Ink::White,
                _ => Ink::Plain,
            },
            (Paint::Pattern(_), _) => Ink::Plain,
        };
        for glyph in run.glyphs() {
            self.count_glyph();
            let text = match glyph.as_unicode() {
                Some(BfString::Char(character)) => character.to_string(),
                Some(BfString::String(text)) => text,
                None => {
                    self.unmapped += 1;
                    continue;
                }
            };
            let transform = self.to_top_left * props.transform * glyph.transform();
            let origin = transform * Point::ZERO;
            // Half an em where the font does not say: about the mean width of a letter.
            let advance = match &**glyph {
                Glyph::Outline(outline) => outline.advance_width(),
                Glyph::Type3(drawn) => drawn.advance_width(),
            };
            let along = transform * Point::new(f64::from(advance.unwrap_or(500.0)), 0.0) - origin;
            let size = (transform * Point::new(0.0, 1000.0) - origin).hypot();
            let is_finite = origin.is_finite() && along.is_finite() && size.is_finite();
            if is_finite && text.chars().all(|character| character >= ' ') {
                let areas_before = self.areas.len();
                let covering_before = self.covering.len();
                self.drawn.push(Drawn { origin, along, size, text, ink, areas_before, covering_before });
            }
        }
    }

    fn pop_clip(&mut self) {
        self.clips.pop();
    }

    fn pop_transparency_group(&mut self) {
        self.groups.pop();
    }

    fn draw_image(&mut self, image: Image<'_, '_>, props: ImageDrawProps<'_>) {
        self.count_operation();
        if self.images.len() < PAGE_IMAGES_MAX_COUNT {
            let pixels = Rect::new(0.0, 0.0, f64::from(image.width()), f64::from(image.height()));
            let bounds = (self.to_top_left * props.transform).transform_rect_bbox(pixels);
            self.images.push(bounds);
            let has_mask = match &image {
                Image::Stencil(_) => true,
                Image::Raster(raster) => {
                    let dict = raster.stream().dict().clone();
                    dict.contains_key(b"SMask") || dict.contains_key(b"Mask")
                }
            };
            let is_opaque = !has_mask
                && props.soft_mask.is_none()
                && props.blend_mode == BlendMode::Normal
                && !self.groups.contains(&true);
            let clipped =
                self.clips.iter().try_fold(bounds, |bounds, clip| clip.map(|clip| bounds.intersect(clip)));
            self.covering.extend(clipped.filter(|clipped| is_opaque && clipped.is_finite()));
        }
    }
}
