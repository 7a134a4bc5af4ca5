import { maxBodyBytes } from '../../../src/http/body/read-body.ts'
import type { Attack } from '../generators/attack.ts'
import { type TargetBody, targets } from '../targets/target.ts'

/** A request without a complete response. */
export interface Silence {
  attack: Attack
  /** Whether the connection was closed, or the timeout passed. */
  none: 'closed' | 'late'
  ms: number
  /** Bytes of an incomplete response. */
  part: number
  /** The size of the request. */
  bytes: number
}

/** The oracles for missing responses, by name. Null: none is required. */
export const silenceOracles: Readonly<Record<string, (silence: Silence) => string | null>> = {
  'no hang': (silence) => {
    const { none, ms, part, bytes, attack } = silence
    if (none === 'closed' && mayBeCut(attack, bytes)) return null
    return `${none} after ${ms} ms ${part === 0 ? 'without an answer' : `and ${part} bytes of an answer`}`
  },
}

/** The largest body of each kind that is read. The buffers of the connection hold a smaller form, read or not. */
const largest: Readonly<Record<TargetBody['kind'], number>> = {
  none: maxBodyBytes.json,
  json: maxBodyBytes.json,
  csv: maxBodyBytes.csv,
  form: 60_000,
}

const kinds = new Map(targets.map(({ name, body }) => [name, body.kind]))

/** A body above the limit is not read, so the reset of the connection may overtake the response. */
export const mayBeCut = ({ target }: Attack, bytes: number): boolean =>
  bytes > largest[kinds.get(target) ?? 'json']

/** The most requests that may meet the closing of a kept connection. */
export const mostRepeats = (requests: number): number => 3 + requests / 1000
