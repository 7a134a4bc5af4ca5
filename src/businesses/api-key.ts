import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Scope } from '../../schemas/scopes.ts'
import type { Collection } from '../mongo/collection.ts'

export type KeyMode = 'test' | 'live'
export type KeyKind = 'secret' | 'publishable'

/** One of a key's secrets, as a hash with a SECRET_KEY as its pepper. */
export interface StoredSecret {
  hash: string
  /** When an earlier secret stops working. Null for the current secret. */
  validUntil: Date | null
  /** The id of the SECRET_KEY that made the hash. */
  pepper: string
  /** When the hash was replaced by one with the current SECRET_KEY (rehash-key.ts). */
  rehashedAt?: Date
}

/**
 * An API key as stored, with hashes only. `secrets` contains the current secret (`validUntil: null`) first. After a
 * rotation it also contains the earlier secrets until their overlap ends.
 */
export interface ApiKey {
  _id: string
  businessId: string
  mode: KeyMode
  kind: KeyKind
  /** `prefix` and `last4` are shown to people, for example `sk_test_…abcd`. */
  prefix: string
  last4: string
  secrets: StoredSecret[]
  scopes: Scope[]
  /** The addresses and CIDRs from which the key may be used. If empty, all are allowed. */
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

/** Returns a new key, for example `sk_test_` with 32 random characters and a 6-character checksum. */
export function newKey(kind: KeyKind, mode: KeyMode): string {
  const prefix = keyPrefix(kind, mode)
  const random = Array.from({ length: randomLength }, () => base62[randomInt(62)]).join('')
  return prefix + random + checksum(prefix + random)
}

export const keyPrefix = (kind: KeyKind, mode: KeyMode): string =>
  `${kind === 'secret' ? 'sk' : 'pk'}_${mode}_`

/** Whether a text has the form and checksum of a key, so that a mistyped key costs no query. */
export function looksLikeKey(text: string): boolean {
  const parts = shape.exec(text)
  return parts !== null && checksum(`${parts[1]}${parts[2]}`) === parts[3]
}

function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let digit = 0; digit < checksumLength; digit += 1) {
    digits = base62[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}
