const builtIn = [
  Object,
  Array,
  String,
  Number,
  Boolean,
  BigInt,
  Symbol,
  Function,
  Map,
  Set,
  WeakMap,
  WeakSet,
  Promise,
  RegExp,
  Date,
  Error,
  TypeError,
  RangeError,
  SyntaxError,
  ArrayBuffer,
  DataView,
  Uint8Array,
  Buffer,
  Object.getPrototypeOf(Uint8Array),
  URL,
  URLSearchParams,
]

/** Every property of theirs, by its name. */
const descriptors = () =>
  new Map(
    builtIn.flatMap(({ name, prototype }) =>
      Reflect.ownKeys(prototype).map((key) => [
        `${name}.${String(key)}`,
        Reflect.getOwnPropertyDescriptor(prototype, key),
      ]),
    ),
  )

/** Answers a function that names the properties of built-in prototypes that are there no more, are new, or are not what they were. */
export function watchPrototypes() {
  const before = descriptors()
  return () => {
    const now = descriptors()
    const names = [...new Set([...before.keys(), ...now.keys()])]
    return names.filter((name) => !isSame(before.get(name), now.get(name)))
  }
}

const isSame = (one, other) =>
  one !== undefined &&
  other !== undefined &&
  ['value', 'get', 'set'].every((part) => Object.is(one[part], other[part]))
