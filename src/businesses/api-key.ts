import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Scope } from '../../schemas/scopes.ts'
import type { Collection } from '../mongo/collection.ts'

export type KeyMode = 'test' | 'live'
export type KeyKind = 'secret' | 'publishable'

/** A secret of a key, as a hash that rests on a SECRET_KEY as its pepper. */
export interface StoredSecret {
  hash: string
  /** Null for the current one; an earlier one works until then. */
  validUntil: Date | null
  /** The id of the SECRET_KEY that made the hash. */
  pepper: string
  /** When the hash was made anew, on the SECRET_KEY after it (rehash-key.ts). */
  rehashedAt?: Date
}

/**
 * An API key as stored: hashes only. `secrets` holds the current one (`validUntil: null`) and, after a rotation,
 * the earlier ones until their overlap ends.
 */
export interface ApiKey {
  _id: string
  businessId: string
  mode: KeyMode
  kind: KeyKind
  /** For people to tell keys apart: `sk_test_…` and the last four characters. */
  prefix: string
  last4: string
  secrets: StoredSecret[]
  scopes: Scope[]
  /** Addresses and CIDRs the key may be used from; empty = from everywhere. */
  ipAllowlist: string[]
  status: 'active' | 'suspended' | 'revoked'
  createdAt: Date
}

export const apiKeys: Collection = {
  name: 'apikeys',
  fields: {
    _id: String,
    businessId: String,
    mode: String,
    kind: String,
    prefix: String,
    last4: String,
    secrets: [{ _id: false, hash: String, validUntil: Date, pepper: String, rehashedAt: Date }],
    scopes: [String],
    ipAllowlist: [String],
    status: String,
    createdAt: Date,
  },
  indexes: [
    { name: 'secretHash', key: { 'secrets.hash': 1 }, unique: true },
    { name: 'business', key: { businessId: 1 } },
  ],
}

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 32 characters of base62: 190 bits. */
const randomLength = 32
/** 6 characters of base62 hold any CRC-32. */
const checksumLength = 6
const shape = new RegExp(
  `^([sp]k_(?:test|live)_)([0-9A-Za-z]{${randomLength}})([0-9A-Za-z]{${checksumLength}})$`,
)

/** A fresh key of a kind and mode, e.g. `sk_test_` + 32 random characters + 6 of checksum. */
export function newKey(kind: KeyKind, mode: KeyMode): string {
  const prefix = keyPrefix(kind, mode)
  const random = Array.from({ length: randomLength }, () => base62[randomInt(62)]).join('')
  return prefix + random + checksum(prefix + random)
}

export const keyPrefix = (kind: KeyKind, mode: KeyMode): string =>
  `${kind === 'secret' ? 'sk' : 'pk'}_${mode}_`

/** Whether a text can be a key at all: a mistyped one is told without asking the database. */
export function looksLikeKey(text: string): boolean {
  const parts = shape.exec(text)
  return parts !== null && checksum(`${parts[1]}${parts[2]}`) === parts[3]
}

function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let place = 0; place < checksumLength; place += 1) {
    digits = base62[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}
