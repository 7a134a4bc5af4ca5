const names =
  'Object Array String Number Boolean BigInt Symbol Function Map Set WeakMap WeakSet Promise RegExp Date Error ' +
  'TypeError RangeError SyntaxError ArrayBuffer DataView Uint8Array Buffer URL URLSearchParams'
const builtIn = [...names.split(' ').map((name) => globalThis[name]), Object.getPrototypeOf(Uint8Array)]

const descriptors = () =>
  new Map(
    builtIn.flatMap(({ name, prototype }) =>
      Reflect.ownKeys(prototype).map((key) => [
        `${name}.${String(key)}`,
        Reflect.getOwnPropertyDescriptor(prototype, key),
      ]),
    ),
  )

/** Returns a function that lists properties of built-in prototypes that are new, gone or changed since. */
export function watchPrototypes() {
  const before = descriptors()
  return () => {
    const now = descriptors()
    const known = [...new Set([...before.keys(), ...now.keys()])]
    return known.filter((name) => !isSame(before.get(name), now.get(name)))
  }
}

const isSame = (one, other) =>
  one && other && ['value', 'get', 'set'].every((part) => Object.is(one[part], other[part]))
