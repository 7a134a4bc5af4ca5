import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Scope } from '../../schemas/scopes.ts'
import { collection, type Stored } from '../mongo/declare.ts'
import { date, list, type Of, oneOf, optional, orNull, part, secret, text } from '../mongo/fields.ts'

export type KeyMode = 'test' | 'live'
export type KeyKind = 'secret' | 'publishable'

/** One of a key's secrets. The service stores only the secret's hash, which is peppered with a SECRET_KEY. */
const storedSecretFields = part({
  hash: secret(text),
  /** The last four characters, by which staff find a secret. */
  last4: text,
  /** The time at which an earlier secret stops working. For the current secret, this is null. */
  validUntil: orNull(date),
  /** The id of the SECRET_KEY with which the hash was peppered. */
  pepper: text,
  rehashedAt: optional(date),
})
export type StoredSecret = Of<typeof storedSecretFields>

/**
 * An API key as stored in MongoDB, without its secrets in clear text. `secrets` begins with the current secret
 * (`validUntil: null`). After a rotation, it also contains the secrets in overlap and the last ones that have ended.
 */
export const apiKeys = collection({
  name: 'apikeys',
  kept: 'forever',
  fields: {
    _id: text,
    businessId: text,
    mode: oneOf<KeyMode>(),
    kind: oneOf<KeyKind>(),
    /** `prefix` and the current secret's `last4` identify the key wherever it is displayed, such as `sk_test_…abcd`. */
    prefix: text,
    last4: text,
    secrets: list(storedSecretFields),
    scopes: list(oneOf<Scope>()),
    /** The IP addresses and CIDR ranges from which the key may be used. An empty list allows every address. */
    ipAllowlist: list(text),
    status: oneOf<'active' | 'suspended' | 'revoked'>(),
    createdAt: date,
    /** The last UTC day on which the key was used (identify.ts), such as `2026-11-21`, or null. */
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
/** The number of random characters in a key. 32 random base62 characters have 190 bits of entropy. */
const randomLength = 32
/** The number of characters in a key's checksum. 6 base62 characters can represent any CRC-32. */
const checksumLength = 6
const shape = new RegExp(`^([sp]k_(?:test|live)_)([0-9A-Za-z]{${randomLength}})([0-9A-Za-z]{${checksumLength}})$`)

/**
 * Returns a new key, which consists of a prefix such as `sk_test_`, 32 random characters and a 6-character checksum.
 */
export function newKey(kind: KeyKind, mode: KeyMode): string {
  const prefix = keyPrefix(kind, mode)
  const random = Array.from({ length: randomLength }, () => base62[randomInt(62)]).join('')
  return prefix + random + checksum(prefix + random)
}

export const keyPrefix = (kind: KeyKind, mode: KeyMode): string => `${kind === 'secret' ? 'sk' : 'pk'}_${mode}_`

/** Returns the different keys in clear text that a text contains, such as a line from a log. */
export const keysIn = (line: string): string[] => [
  ...new Set(line.match(/(?<![0-9A-Za-z])[sp]k_(?:test|live)_[0-9A-Za-z]+/g)),
]

/**
 * Returns whether a string has the format of a key and a correct checksum. Thanks to this check, a mistyped key is
 * rejected without a query to MongoDB.
 */
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
