//! What the browser calls back, and what keeps nothing alive: it does nothing once its object is gone.

use std::rc::Rc;

/// A callback without arguments.
pub fn callback<T: 'static>(of: &Rc<T>, act: impl Fn(&Rc<T>) + 'static) -> impl Fn() + 'static {
    let act = handler(of, move |of, ()| act(of));
    move || act(())
}

/// A callback with one argument.
pub fn handler<T: 'static, A>(
    of: &Rc<T>,
    handle: impl Fn(&Rc<T>, A) + 'static,
) -> impl Fn(A) + 'static {
    let weak = Rc::downgrade(of);
    move |argument| {
        if let Some(of) = weak.upgrade() {
            handle(&of, argument);
        }
    }
}
