import { maxBodyBytes } from '../../../src/http/body/read-body.ts'
import type { Attack } from '../generators/attack.ts'
import { type TargetBody, targets } from '../targets/target.ts'

/** A request without a complete response. */
export interface MissingResponse {
  attack: Attack
  /** The server closed the connection, or the timeout passed. */
  none: 'closed' | 'late'
  ms: number
  /** Bytes of an incomplete response. */
  part: number
  /** The size of the request. */
  bytes: number
}

/** The checks for missing responses, by name. A check returns null if no response is required. */
export const missingResponseChecks: Readonly<Record<string, (silence: MissingResponse) => string | null>> = {
  'no hang': (silence) => {
    const { none, ms, part, bytes, attack } = silence
    if (none === 'closed' && mayBeCut(attack, bytes)) return null
    return `${none} after ${ms} ms ${part === 0 ? 'without a response' : `and ${part} bytes of a response`}`
  },
}

/** The largest body that the service reads, by kind. The buffers of a connection hold any smaller form. */
const largest: Readonly<Record<TargetBody['kind'], number>> = {
  none: maxBodyBytes.json,
  json: maxBodyBytes.json,
  csv: maxBodyBytes.csv,
  form: 60_000,
}

const kinds = new Map(targets.map(({ name, body }) => [name, body.kind]))

/** The service does not read a body above the limit. So the reset of the connection may overtake the response. */
export const mayBeCut = ({ target }: Attack, bytes: number): boolean => bytes > largest[kinds.get(target) ?? 'json']

/** How many requests of a run may be sent just as the server closes their keep-alive connection. */
export const maxRepeats = (requests: number): number => 3 + requests / 1000
