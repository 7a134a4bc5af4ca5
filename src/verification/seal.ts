import { createHmac, type KeyObject } from 'node:crypto'
import { mongo } from 'mongoose'
import { type AuditEvent, toReadableDate } from '../audit/audit-event.ts'
import type { LedgerEntry } from '../ledger/entry.ts'
import { declareCollection, type Stored } from '../mongo/declare.ts'
import * as field from '../mongo/fields.ts'
import { modeOf } from '../platform/mode.ts'
import { longLeaseFields } from '../work/lease.ts'

/** A full seal takes up about 75 kB. */
export const linesPerSeal = 1000

export const arrayOrEmpty = <Item>(items: Item[]): Item[] => (Array.isArray(items) ? items : [])

/** A forged seal's fields may have any type. Its digest won't match. */
export const sanitiseSeal = (seal: StoredSeal | null): StoredSeal | null =>
  seal && {
    ...seal,
    at: toReadableDate(seal.at),
    ids: arrayOrEmpty(seal.ids),
    digests: arrayOrEmpty(seal.digests),
  }

/** The next verification of a ledger starts at this entry. */
export interface SealedHead {
  chain: string
  number: number
  bookedAt: Date
  digest: string
}

/** Each seal contains the previous digest, so the last one proves the trail. */
export const auditSeals = declareCollection({
  name: 'auditseals',
  kept: 'forever',
  fields: {
    _id: field.whole,
    at: field.date,
    ids: field.list(field.text),
    digests: field.list(field.text),
    /** The last entries of ledgers verified since the previous seal. */
    heads: field.optional(field.list(field.anything<SealedHead>())),
    previous: field.orNull(field.text),
    digest: field.text,
  },
  indexes: [{ name: 'byLedger', key: { 'heads.chain': 1, _id: -1 } }],
})
export type StoredSeal = Stored<typeof auditSeals>

export interface ExpectedSeal {
  number: number
  digest: string
}

const verifiedFields = field.part({
  seals: field.whole,
  lines: field.whole,
  last: field.orNull(field.anything<ExpectedSeal>()),
  faultCount: field.whole,
  faults: field.list(field.text),
})
export type VerifiedTrail = field.ValueOfField<typeof verifiedFields>

export const auditChecks = declareCollection({
  name: 'auditchecks',
  kept: 'forever, one document',
  fields: {
    ...verifiedFields.fields,
    _id: field.oneOf<'latest'>(),
    at: field.date,
    wholeAt: field.date,
    /** Protects the other fields, because the next check relies on them. */
    digest: field.text,
  },
  indexes: [],
})
export type AuditCheck = Stored<typeof auditChecks>

export const checkLeases = declareCollection({
  name: 'auditleases',
  kept: 'forever, one document',
  fields: longLeaseFields,
  indexes: [],
})

/** 128 bits are enough for a digest that needs a secret key. */
const lineDigestBytes = 16

export function digestAuditLine(key: KeyObject, { seal: _seal, ...line }: AuditEvent): string {
  return mac(key, 'line', line).subarray(0, lineDigestBytes).toString('base64url')
}

export const digestRecord = (
  key: KeyObject,
  kind: 'seal' | 'check',
  { digest: _digest, ...value }: Omit<StoredSeal | AuditCheck, 'digest'> & { digest?: string },
): string => mac(key, kind, value).toString('base64url')

export function digestHead(key: KeyObject, entry: LedgerEntry): SealedHead {
  const { businessId, number, bookedAt } = entry
  const digest = mac(key, 'entry', entry).toString('base64url')
  return { chain: `${businessId} ${modeOf(entry)}`, number, bookedAt, digest }
}

const mac = (key: KeyObject, kind: 'line' | 'seal' | 'check' | 'entry', value: object): Buffer =>
  createHmac('sha256', key)
    .update(`${kind}\n${JSON.stringify(canonical(value))}`)
    .digest()

/** Never change this, because stored digests depend on it. */
function canonical(value: unknown): unknown {
  if (value === null || value === undefined) return null
  if (value instanceof Date) return ['date', value.getTime()]
  if (Array.isArray(value)) return ['list', ...value.map(canonical)]
  if (typeof value === 'number') return ['number', String(value === 0 ? 0 : value)]
  if (typeof value !== 'object') return value
  if ('_bsontype' in value) return ['bson', mongo.BSON.EJSON.serialize(value, { relaxed: false })]
  const fields = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return ['object', ...fields.map(([name, each]) => [name, canonical(each)])]
}
