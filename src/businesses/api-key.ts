import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Scope } from '../../schemas/scopes.ts'
import { declareCollection, type Stored } from '../mongo/declare.ts'
import {
  date,
  list,
  oneOf,
  optional,
  orNull,
  part,
  secret,
  text,
  type ValueOfField,
} from '../mongo/fields.ts'

export type KeyMode = 'test' | 'live'
export type KeyKind = 'secret' | 'publishable'

const storedSecretFields = part({
  hash: secret(text),
  last4: text,
  /** Null for the current secret. */
  validUntil: orNull(date),
  /** Id of the SECRET_KEY that peppered the hash. */
  pepper: text,
  rehashedAt: optional(date),
})
export type StoredSecret = ValueOfField<typeof storedSecretFields>

/** `secrets` lists the current secret, then those in overlap, then the last few that ended. */
export const apiKeys = declareCollection({
  name: 'apikeys',
  kept: 'forever',
  fields: {
    _id: text,
    businessId: text,
    mode: oneOf<KeyMode>(),
    kind: oneOf<KeyKind>(),
    /** Shown with `last4` instead of the key, such as `sk_test_…abcd`. */
    prefix: text,
    last4: text,
    secrets: list(storedSecretFields),
    scopes: list(oneOf<Scope>()),
    /** An empty list allows every address. */
    ipAllowlist: list(text),
    status: oneOf<'active' | 'suspended' | 'revoked'>(),
    createdAt: date,
    /** A UTC day, such as `2026-11-21`. */
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
/** 190 bits of entropy. */
const randomLength = 32
/** Enough base62 characters for any CRC-32. */
const checksumLength = 6
const shape = new RegExp(
  `^([sp]k_(?:test|live)_)([0-9A-Za-z]{${randomLength}})([0-9A-Za-z]{${checksumLength}})$`,
)

export function newKey(kind: KeyKind, mode: KeyMode): string {
  const prefix = keyPrefix(kind, mode)
  const random = Array.from({ length: randomLength }, () => base62[randomInt(62)]).join('')
  return prefix + random + checksum(prefix + random)
}

export const keyPrefix = (kind: KeyKind, mode: KeyMode): string =>
  `${kind === 'secret' ? 'sk' : 'pk'}_${mode}_`

export const findKeysInText = (line: string): string[] => [
  ...new Set(line.match(/(?<![0-9A-Za-z])[sp]k_(?:test|live)_[0-9A-Za-z]+/g)),
]

/** Rejects a mistyped key without querying MongoDB. */
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
