import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Scope } from '../../schemas/scopes.ts'
import { declareCollection, type Stored } from '../mongo/declare.ts'
import { date, list, type Of, oneOf, optional, orNull, part, secret, text } from '../mongo/fields.ts'

export type KeyMode = 'test' | 'live'
export type KeyKind = 'secret' | 'publishable'

/** Only the hash is stored, peppered with a SECRET_KEY. */
const storedSecretFields = part({
  hash: secret(text),
  /** Staff find a secret by its last four characters. */
  last4: text,
  /** When an earlier secret stops working. Null for the current one. */
  validUntil: orNull(date),
  /** Id of the SECRET_KEY that peppered the hash. */
  pepper: text,
  rehashedAt: optional(date),
})
export type StoredSecret = Of<typeof storedSecretFields>

/**
 * An API key without its secrets in clear text. `secrets` begins with the current one (`validUntil: null`). After a
 * rotation, those in overlap follow, then the last that have ended.
 */
export const apiKeys = declareCollection({
  name: 'apikeys',
  kept: 'forever',
  fields: {
    _id: text,
    businessId: text,
    mode: oneOf<KeyMode>(),
    kind: oneOf<KeyKind>(),
    /** With the current secret's `last4`, this stands for the key wherever it's shown, such as `sk_test_…abcd`. */
    prefix: text,
    last4: text,
    secrets: list(storedSecretFields),
    scopes: list(oneOf<Scope>()),
    /** IP addresses and CIDR ranges. An empty list allows every address. */
    ipAllowlist: list(text),
    status: oneOf<'active' | 'suspended' | 'revoked'>(),
    createdAt: date,
    /** Last UTC day on which the key was used (identify.ts), such as `2026-11-21`. */
    lastUsedDay: orNull(text),
  },
  indexes: [
    { name: 'secretHash', key: { 'secrets.hash': 1 }, unique: true },
    { name: 'business', key: { businessId: 1 } },
    { name: 'last4', key: { 'secrets.last4': 1 } },
  ],
})
export type ApiKey = Stored<typeof apiKeys>

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 32 random base62 characters have 190 bits of entropy. */
const randomLength = 32
/** 6 base62 characters can represent any CRC-32. */
const checksumLength = 6
const shape = new RegExp(
  `^([sp]k_(?:test|live)_)([0-9A-Za-z]{${randomLength}})([0-9A-Za-z]{${checksumLength}})$`,
)

/** A prefix such as `sk_test_`, 32 random characters and a 6-character checksum. */
export function newKey(kind: KeyKind, mode: KeyMode): string {
  const prefix = keyPrefix(kind, mode)
  const random = Array.from({ length: randomLength }, () => base62[randomInt(62)]).join('')
  return prefix + random + checksum(prefix + random)
}

export const keyPrefix = (kind: KeyKind, mode: KeyMode): string =>
  `${kind === 'secret' ? 'sk' : 'pk'}_${mode}_`

/** Finds keys in clear text, e.g. in a line from a log, each once. */
export const findKeysInText = (line: string): string[] => [
  ...new Set(line.match(/(?<![0-9A-Za-z])[sp]k_(?:test|live)_[0-9A-Za-z]+/g)),
]

/** Checks the format and the checksum, so that a mistyped key is rejected without a query to MongoDB. */
export function looksLikeKey(key: string): boolean {
  const parts = shape.exec(key)
  return parts !== null && checksum(`${parts[1]}${parts[2]}`) === parts[3]
}

function checksum(start: string): string {
  let rest = crc32(start)
  let digits = ''
  for (let digit = 0; digit < checksumLength; digit += 1) {
    digits = base62[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}
