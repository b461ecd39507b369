//! Sets of the sixteen child pairs of two nodes, as bits: bit `4 * row + column` for slot `row` of A and `column` of B.

use bvhc_format::obb::PAIR_WIDTH;

/// How many child pairs two nodes have.
pub(crate) const PAIRS: usize = PAIR_WIDTH * PAIR_WIDTH;

/// All child pairs.
pub(crate) const ALL: u16 = 0xffff;

/// The pairs with A's children in these slots.
#[inline(always)]
pub(crate) fn rows(slots: u32) -> u32 {
    ((slots | slots << 3 | slots << 6 | slots << 9) & 0x1111) * 0xf
}

/// The pairs with B's children in these slots.
#[inline(always)]
pub(crate) fn columns(slots: u32) -> u32 {
    slots * 0x1111
}

/// The pairs of the first children of A and the first of B.
#[inline(always)]
pub(crate) fn first_pairs(of_a: u32, of_b: u32) -> u32 {
    ((1 << (PAIR_WIDTH as u32 * of_a)) - 1) & columns((1 << of_b) - 1)
}

/// All pairs in the rows of these pairs, which are in one column.
#[inline(always)]
pub(crate) fn rows_of(pairs: u32) -> u16 {
    let first = (pairs | pairs >> 1 | pairs >> 2 | pairs >> 3) & 0x1111;
    (first * 0xf) as u16
}

/// All pairs in the columns of these pairs, which are in one row.
#[inline(always)]
pub(crate) fn columns_of(pairs: u32) -> u16 {
    columns((pairs | pairs >> 4 | pairs >> 8 | pairs >> 12) & 0xf) as u16
}

#[inline(always)]
pub(crate) fn row_of(lane: usize) -> usize {
    lane / PAIR_WIDTH
}

#[inline(always)]
pub(crate) fn column_of(lane: usize) -> usize {
    lane % PAIR_WIDTH
}

/// The indices of the bits that are set.
#[inline(always)]
pub(crate) fn lanes(mut pairs: u32) -> impl Iterator<Item = usize> {
    core::iter::from_fn(
        #[inline(always)]
        move || {
            let lane = (pairs != 0).then(|| pairs.trailing_zeros() as usize % PAIRS);
            pairs &= pairs.wrapping_sub(1);
            lane
        },
    )
}
