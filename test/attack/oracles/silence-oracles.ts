import { largestBytes } from '../../../src/http/body/read-body.ts'
import type { Attack } from '../generators/attack.ts'
import { type TargetBody, targets } from '../targets/target.ts'

/** A request that got no answer, or of several not all. */
export interface Silence {
  attack: Attack
  /** Whether the connection was closed, or nothing came within the timeouts of the wire. */
  none: 'closed' | 'late'
  ms: number
  /** Bytes of an answer that came all the same. */
  part: number
  /** Of the whole request. */
  bytes: number
}

/** What is demanded where no answer came, by name; null where there need be none. */
export const silenceOracles: Readonly<Record<string, (silence: Silence) => string | null>> = {
  'no hang': (silence) => {
    const { none, ms, part, bytes, attack } = silence
    if (none === 'closed' && mayBeCut(attack, bytes)) return null
    return `${none} after ${ms} ms ${part === 0 ? 'without an answer' : `and ${part} bytes of an answer`}`
  },
}

/** Whatever is larger is refused unread: by JSON and files for their length; a smaller form is taken in by the connection itself, read or not. */
const largest: Readonly<Record<TargetBody['kind'], number>> = {
  none: largestBytes.json,
  json: largestBytes.json,
  csv: largestBytes.csv,
  form: 60_000,
}

const kinds = new Map(targets.map(({ name, body }) => [name, body.kind]))

/** Refused for its length it is not read, and the reset may come before the answer. */
export const mayBeCut = ({ target }: Attack, bytes: number): boolean =>
  bytes > largest[kinds.get(target) ?? 'json']

/** A connection is closed on the request for which it was kept, without a word, so often at the most: hardly ever. */
export const mostRepeats = (requests: number): number => 3 + requests / 1000
