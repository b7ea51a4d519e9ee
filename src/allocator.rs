//! The module's heap.

use talc::base::binning::Binning;
use talc::cell::TalcSyncCell;
use talc::wasm::WasmGrowAndExtend;
use zeroizing_alloc::ZeroAlloc;

/// Wiped when freed, because any script of the page, and a crash dump, can read all of the memory: secrets, tokens and telephone numbers pass through it.
/// Talc, because it is 1.3 KB smaller than std's dlmalloc.
#[global_allocator]
static HEAP: ZeroAlloc<TalcSyncCell<WasmGrowAndExtend, Powers>> =
    ZeroAlloc(TalcSyncCell::new_wasm(WasmGrowAndExtend::new()));

/// One list of free memory for each power of two: its number is one instruction, where talc's own, finer ones have to be reckoned.
struct Powers;

impl Binning for Powers {
    type AvailabilityBitField = u32;

    fn size_to_bin(size: usize) -> u32 {
        // Talc wants `u32::MAX` for 0.
        (usize::BITS - 1).wrapping_sub(size.leading_zeros())
    }
}
