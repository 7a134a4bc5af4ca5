export interface Chance {
  next(): number
  whole(from: number, to: number): number
  is(probability: number): boolean
  pick<T>(items: readonly T[]): T
  weighted<Name extends string>(weights: { readonly [name in Name]: number }): Name
}

/** Each salt has its own generator, so that the draws of one do not shift those of another. */
export function chanceOf(seed: number, ...salt: (string | number)[]): Chance {
  let state = hash(`${seed} ${salt.join(' ')}`)
  // mulberry32, whose state is one number of 32 bits.
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    whole: (from, to) => from + Math.floor(next() * (to - from + 1)),
    is: (probability) => next() < probability,
    pick(items) {
      const item = items[Math.floor(next() * items.length)]
      if (item === undefined) throw new Error('no items')
      return item
    },
    weighted(weights) {
      const entries = Object.entries(weights) as [keyof typeof weights, number][]
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
      for (const [name, weight] of entries) {
        left -= weight
        if (left < 0) return name
      }
      throw new Error('no weights')
    },
  }
}

/** FNV-1a. */
function hash(text: string): number {
  let sum = 0x811c9dc5
  for (const byte of Buffer.from(text)) sum = Math.imul(sum ^ byte, 0x01000193)
  return sum
}
