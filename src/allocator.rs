//! The module's heap.

use talc::wasm::{WasmDynamicTalc, new_wasm_dynamic_allocator};
use zeroizing_alloc::ZeroAlloc;

/// Wiped when freed, because any script of the page, and a crash dump, can read all of the memory: secrets, tokens and telephone numbers pass through it.
/// Talc, because it is 1.3 KB smaller than std's dlmalloc.
#[global_allocator]
static HEAP: ZeroAlloc<WasmDynamicTalc> = ZeroAlloc(new_wasm_dynamic_allocator());
