import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Model } from 'mongoose'
import type { Scope } from '../../schemas/scopes.ts'
import type { Collection } from '../mongo/collection.ts'

declare module '../platform/deps.ts' {
  interface Models {
    ApiKey: Model<ApiKey>
  }
}

export type KeyMode = 'test' | 'live'
export type KeyKind = 'secret' | 'publishable'

/** Only the hash is stored, peppered with a SECRET_KEY. */
export interface StoredSecret {
  hash: string
  /** Staff find a secret by its last four characters. */
  last4: string
  /** When an earlier secret stops working. Null for the current one. */
  validUntil: Date | null
  /** Id of the SECRET_KEY that peppered the hash. */
  pepper: string
  /** When key-batchers.ts last rehashed the secret. */
  rehashedAt?: Date
}

/**
 * An API key without its secrets in clear text. `secrets` begins with the current one (`validUntil: null`). After a
 * rotation, those in overlap follow, then the last that have ended.
 */
export interface ApiKey {
  _id: string
  businessId: string
  mode: KeyMode
  kind: KeyKind
  /** With the current secret's `last4`, this stands for the key wherever it's shown, such as `sk_test_…abcd`. */
  prefix: string
  last4: string
  secrets: StoredSecret[]
  scopes: Scope[]
  /** IP addresses and CIDR ranges. An empty list allows every address. */
  ipAllowlist: string[]
  status: 'active' | 'suspended' | 'revoked'
  createdAt: Date
  /** Last UTC day on which the key was used (identify.ts), such as `2026-11-21`. */
  lastUsedDay: string | null
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
    secrets: [{ _id: false, hash: String, last4: String, validUntil: Date, pepper: String, rehashedAt: Date }],
    scopes: [String],
    ipAllowlist: [String],
    status: String,
    createdAt: Date,
    lastUsedDay: String,
  },
  indexes: [
    { name: 'secretHash', key: { 'secrets.hash': 1 }, unique: true },
    { name: 'business', key: { businessId: 1 } },
    { name: 'last4', key: { 'secrets.last4': 1 } },
  ],
}

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 32 random base62 characters have 190 bits of entropy. */
const randomLength = 32
/** 6 base62 characters can represent any CRC-32. */
const checksumLength = 6
const shape = new RegExp(`^([sp]k_(?:test|live)_)([0-9A-Za-z]{${randomLength}})([0-9A-Za-z]{${checksumLength}})$`)

/** A prefix such as `sk_test_`, 32 random characters and a 6-character checksum. */
export function newKey(kind: KeyKind, mode: KeyMode): string {
  const prefix = keyPrefix(kind, mode)
  const random = Array.from({ length: randomLength }, () => base62[randomInt(62)]).join('')
  return prefix + random + checksum(prefix + random)
}

export const keyPrefix = (kind: KeyKind, mode: KeyMode): string => `${kind === 'secret' ? 'sk' : 'pk'}_${mode}_`

/** Finds keys in clear text, e.g. in a line from a log, each once. */
export const keysIn = (text: string): string[] => [
  ...new Set(text.match(/(?<![0-9A-Za-z])[sp]k_(?:test|live)_[0-9A-Za-z]+/g)),
]

/** Checks the format and the checksum, so that a mistyped key is rejected without a query to MongoDB. */
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
