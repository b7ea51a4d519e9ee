//! The module's heap.

use talc::wasm::{WasmDynamicTalc, new_wasm_dynamic_allocator};
use zeroizing_alloc::ZeroAlloc;

/// What is freed is overwritten: any script of the page, and a crash dump, can read all of the memory, and secrets,
/// tokens and telephone numbers pass through it.
///
/// Talc, because it is 1.3 KB of the download smaller than the standard library's dlmalloc.
#[global_allocator]
static HEAP: ZeroAlloc<WasmDynamicTalc> = ZeroAlloc(new_wasm_dynamic_allocator());
