//! The one door to JavaScript: properties and methods by name. Through web-sys each of them is an import of its own, with glue on both
//! sides: 50 bytes of the download, and there were 150.

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// The global object: a page's window, or a worker's. `valueOf` is the shortest function that gives it.
    #[wasm_bindgen(js_namespace = globalThis, js_name = valueOf)]
    pub fn global() -> JsValue;

    /// `{}`
    #[wasm_bindgen(js_name = Object)]
    pub fn object() -> JsValue;

    #[wasm_bindgen(catch, js_namespace = Reflect, js_name = get)]
    fn reflect_get(object: &JsValue, name: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_namespace = Reflect, js_name = set)]
    fn reflect_set(object: &JsValue, name: &str, value: &JsValue) -> Result<bool, JsValue>;

    #[wasm_bindgen(catch, js_namespace = Reflect, js_name = construct)]
    fn reflect_construct(class: &JsValue, arguments: &JsValue) -> Result<JsValue, JsValue>;

    type Callable;

    #[wasm_bindgen(catch, method, js_name = call)]
    fn invoke(
        function: &Callable,
        this: &JsValue,
        one: &JsValue,
        two: &JsValue,
    ) -> Result<JsValue, JsValue>;
}

/// What a method is not given. The platform's methods take it for a missing argument, but for those with any number of them.
pub const NONE: &JsValue = &JsValue::UNDEFINED;

/// The property; `undefined` where there is none, on what is no object, and from a getter that throws.
pub fn get(object: &JsValue, name: &str) -> JsValue {
    if is_absent(object) {
        return JsValue::UNDEFINED;
    }
    reflect_get(object, name).unwrap_or(JsValue::UNDEFINED)
}

/// Whether the property is `true`.
pub fn is(object: &JsValue, name: &str) -> bool {
    get(object, name) == true
}

/// The property, if it is a text; else an empty one.
pub fn text(object: &JsValue, name: &str) -> String {
    get(object, name).as_string().unwrap_or_default()
}

/// The property, if it is a number; else 0.
pub fn number(object: &JsValue, name: &str) -> f64 {
    get(object, name).as_f64().unwrap_or_default()
}

/// Sets a property of a fresh object or of the platform's, which take it.
pub fn set(object: &JsValue, name: &str, value: JsValue) {
    let _ = reflect_set(object, name, &value);
}

/// Sets a property to a text.
pub fn set_text(object: &JsValue, name: &str, value: &str) {
    set(object, name, value.into());
}

/// Calls a method.
pub fn call(
    object: &JsValue,
    name: &str,
    one: &JsValue,
    two: &JsValue,
) -> Result<JsValue, JsValue> {
    apply(&get(object, name), object, one, two)
}

/// Calls a method that does not throw with what it is given here; `undefined` if it does.
pub fn act(object: &JsValue, name: &str, one: &JsValue, two: &JsValue) -> JsValue {
    call(object, name, one, two).unwrap_or(JsValue::UNDEFINED)
}

/// Calls a method that takes nothing, gives nothing and does not throw.
pub fn tell(object: &JsValue, name: &str) {
    act(object, name, NONE, NONE);
}

/// Calls a static method, e.g. `JSON.parse`.
pub fn on(class: &str, method: &str, argument: &JsValue) -> Result<JsValue, JsValue> {
    call(&named(class), method, argument, NONE)
}

/// Calls a function of the page's.
pub fn ask(function: &JsValue, argument: &JsValue) -> Result<JsValue, JsValue> {
    ask_two(function, argument, NONE)
}

/// Calls a function of the page's with two arguments.
pub fn ask_two(function: &JsValue, one: &JsValue, two: &JsValue) -> Result<JsValue, JsValue> {
    apply(function, NONE, one, two)
}

fn apply(
    function: &JsValue,
    this: &JsValue,
    one: &JsValue,
    two: &JsValue,
) -> Result<JsValue, JsValue> {
    function.unchecked_ref::<Callable>().invoke(this, one, two)
}

/// `new class(argument)`, of a global class.
pub fn make(class: &str, argument: &JsValue) -> Result<JsValue, JsValue> {
    // As good as an array to `Reflect.construct`.
    let arguments = object();
    set(&arguments, "length", 1.into());
    set(&arguments, "0", argument.clone());
    reflect_construct(&named(class), &arguments)
}

/// An object with the same properties.
pub fn copy(original: &JsValue) -> JsValue {
    act(&named("Object"), "assign", &object(), original)
}

/// Makes an object of ours unchangeable.
pub fn freeze(object: &JsValue) {
    let _ = on("Object", "freeze", object);
}

/// A global, e.g. `document`.
pub fn named(name: &str) -> JsValue {
    get(&global(), name)
}

/// Whether it is `undefined` or `null`.
pub fn is_absent(value: &JsValue) -> bool {
    value.is_undefined() || value.is_null()
}

/// Whether it is an instance of a class of this page's.
pub fn is_a(value: &JsValue, class: &str) -> bool {
    let prototype = get(&named(class), "prototype");
    act(&prototype, "isPrototypeOf", value, NONE) == true
}

/// Tells the developer about an error of the page's own.
pub fn report(what: &str, thrown: &JsValue) {
    act(&named("console"), "error", &what.into(), thrown);
}
