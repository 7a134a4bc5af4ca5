import { createHmac, type KeyObject } from 'node:crypto'
import { mongo } from 'mongoose'
import type { LedgerEntry } from '../../ledger/entry.ts'
import type { AuditEvent } from '../audit-event.ts'
import type { AuditCheck, Seal, SealedHead } from './seal.ts'

/** The number of bytes of a line's digest. 128 bits are enough, because digests cannot be computed without the key. */
const lineDigestBytes = 16

/** Returns the digest of a line: all of its fields except `seal`, which is added when the line is sealed. */
export function digestOfLine(key: KeyObject, { seal: _seal, ...line }: AuditEvent): string {
  return mac(key, 'line', line).subarray(0, lineDigestBytes).toString('base64url')
}

/** Returns the digest of a seal or a check. A seal's includes that of the previous seal, so the seals form a chain. */
export const digestOf = (
  key: KeyObject,
  kind: 'seal' | 'check',
  { digest: _digest, ...value }: Omit<Seal | AuditCheck, 'digest'> & { digest?: string },
): string => mac(key, kind, value).toString('base64url')

/** Returns what a seal contains of a ledger's entry. */
export function headOf(key: KeyObject, entry: LedgerEntry): SealedHead {
  const { businessId, sandbox, number, bookedAt } = entry
  const digest = mac(key, 'entry', entry).toString('base64url')
  return { chain: `${businessId} ${sandbox ? 'test' : 'live'}`, number, bookedAt, digest }
}

const mac = (key: KeyObject, kind: 'line' | 'seal' | 'check' | 'entry', value: object): Buffer =>
  createHmac('sha256', key)
    .update(`${kind}\n${JSON.stringify(canonical(value))}`)
    .digest()

/**
 * Returns a value in a form whose JSON is the same whenever the value is the same, whether it comes from memory or from
 * MongoDB. The fields of an object are sorted by name, each type has its own tag, and undefined counts as null, as in
 * MongoDB. Never change this function, because stored digests depend on it.
 */
function canonical(value: unknown): unknown {
  if (value === null || value === undefined) return null
  if (value instanceof Date) return ['date', value.getTime()]
  if (Array.isArray(value)) return ['list', ...value.map(canonical)]
  if (typeof value === 'number') return ['number', String(value === 0 ? 0 : value)]
  if (typeof value !== 'object') return value
  if ('_bsontype' in value) return ['bson', mongo.BSON.EJSON.serialize(value, { relaxed: false })]
  const fields = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return ['object', ...fields.map(([name, field]) => [name, canonical(field)])]
}
