import { maxBodyBytes } from '../../../src/http/body/read-body.ts'
import type { Attack } from '../generators/attack.ts'
import { type TargetBody, targets } from '../targets/target.ts'
import type { NoResponse } from '../wire/connection.ts'

export type MissingResponse = NoResponse & { attack: Attack; bytes: number }

export const missingResponseChecks: Readonly<Record<string, (silence: MissingResponse) => string | null>> = {
  'no hang': (silence) => {
    const { none, ms, part, bytes, attack } = silence
    if (none === 'closed' && mayBeCut(attack, bytes)) return null
    return `${none} after ${ms} ms ${part === 0 ? 'without a response' : `and ${part} bytes of a response`}`
  },
}

/** The largest body that the service reads, by kind. A connection's buffers hold any smaller form. */
const largest: Readonly<Record<TargetBody['kind'], number>> = {
  none: maxBodyBytes.json,
  json: maxBodyBytes.json,
  csv: maxBodyBytes.csv,
  form: 60_000,
}

const kinds = new Map(targets.map(({ name, body }) => [name, body.kind]))

/** A body above the limit isn't read, so the connection's reset may overtake the response. */
export const mayBeCut = ({ target }: Attack, bytes: number) => bytes > largest[kinds.get(target) ?? 'json']
export const maxRepeats = (requests: number): number => 3 + requests / 1000
