import { createHmac, type KeyObject } from 'node:crypto'
import { mongo } from 'mongoose'
import { type AuditEvent, readableDate } from '../audit/audit-event.ts'
import type { LedgerEntry } from '../ledger/entry.ts'
import { collection, type Stored } from '../mongo/declare.ts'
import { anything, date, list, type Of, oneOf, optional, orNull, part, text, whole } from '../mongo/fields.ts'

/** The maximum number of lines in one seal. Such a seal takes up about 75 kB. */
export const linesPerSeal = 1000

export const listOf = <Item>(items: Item[]): Item[] => (Array.isArray(items) ? items : [])

/** Returns a seal that code can read. A forged one may have any fields, and the digest does not fit these either. */
export const readableSeal = (seal: Seal | null): Seal | null =>
  seal && { ...seal, at: readableDate(seal.at), ids: listOf(seal.ids), digests: listOf(seal.digests) }

/** An entry of a ledger, from which the next verification begins. `chain` is the business's id and the mode. */
export interface SealedHead {
  chain: string
  number: number
  bookedAt: Date
  digest: string
}

/**
 * A seal proves the content of up to `linesPerSeal` lines of the audit trail. Each seal contains the digest of the seal
 * before it, so the digest of the last seal proves the whole trail up to that seal. Seals are never changed or deleted.
 */
export const auditSeals = collection({
  name: 'auditseals',
  kept: 'forever',
  fields: {
    /** The seal's number. The numbers begin at 1 and have no gaps. */
    _id: whole,
    at: date,
    /** The ids of the lines, in ascending order, and the digest of each line. */
    ids: list(text),
    digests: list(text),
    /** The last entry of each ledger that has been verified since the seal before, if there are any. */
    heads: optional(list(anything<SealedHead>())),
    /** The digest of the previous seal, or null for seal 1. */
    previous: orNull(text),
    /** The digest of all other fields. */
    digest: text,
  },
  indexes: [{ name: 'byLedger', key: { 'heads.chain': 1, _id: -1 } }],
})
export type Seal = Stored<typeof auditSeals>

/** The number and digest of a seal, as logged when the seal was made. */
export interface KnownSeal {
  number: number
  digest: string
}

const verifiedFields = part({
  /** The number of seals, and the number of lines that they contain. */
  seals: whole,
  lines: whole,
  /** The last seal, or null if there is none. */
  last: orNull(anything<KnownSeal>()),
  faultCount: whole,
  /** The first faults, each as a sentence. */
  faults: list(text),
})
export type Verified = Of<typeof verifiedFields>

/** The result of the last nightly check of the audit trail, stored as a single document. */
export const auditChecks = collection({
  name: 'auditchecks',
  kept: 'forever, one document',
  fields: {
    ...verifiedFields.fields,
    _id: oneOf<'latest'>(),
    at: date,
    /** When the whole trail was last verified. */
    wholeAt: date,
    /** The digest of the other fields, because the next check relies on them. */
    digest: text,
  },
  indexes: [],
})
export type AuditCheck = Stored<typeof auditChecks>

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
