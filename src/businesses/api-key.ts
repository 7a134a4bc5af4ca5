import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { ApiScope } from '../../schemas/scopes.ts'
import { declareCollection, type Stored } from '../mongo/declare.ts'
import * as field from '../mongo/fields.ts'

export type KeyMode = 'test' | 'live'
export type KeyKind = 'secret' | 'publishable'

const storedSecretFields = field.part({
  hash: field.secret(field.text),
  last4: field.text,
  /** Null for the current secret. */
  validUntil: field.orNull(field.date),
  /** Id of the SECRET_KEY that peppered the hash. */
  pepper: field.text,
  rehashedAt: field.optional(field.date),
  /** Identifies the form on which an owner made it. */
  form: field.optional(field.text),
})
export type KeySecret = field.ValueOfField<typeof storedSecretFields>

/** `secrets` lists the current one, then overlapping ones, then ended ones. */
export const apiKeys = declareCollection({
  name: 'apikeys',
  kept: 'forever',
  fields: {
    _id: field.text,
    businessId: field.text,
    mode: field.oneOf<KeyMode>(),
    kind: field.oneOf<KeyKind>(),
    /** Shown with `last4` instead of the key, e.g. `sk_test_…abcd`. */
    prefix: field.text,
    last4: field.text,
    secrets: field.list(storedSecretFields),
    scopes: field.list(field.oneOf<ApiScope>()),
    /** An empty list allows every address. */
    ipAllowlist: field.list(field.text),
    status: field.oneOf<'active' | 'suspended' | 'revoked'>(),
    createdAt: field.date,
    /** A UTC day, e.g. `2026-11-21`. */
    lastUsedDay: field.orNull(field.text),
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

export function newApiKey(kind: KeyKind, mode: KeyMode): string {
  const prefix = apiKeyPrefix(kind, mode)
  const random = Array.from({ length: randomLength }, () => base62[randomInt(62)]).join('')
  return prefix + random + checksum(prefix + random)
}

export const apiKeyPrefix = (kind: KeyKind, mode: KeyMode): string =>
  `${kind === 'secret' ? 'sk' : 'pk'}_${mode}_`

export const findApiKeysInText = (line: string): string[] => [
  ...new Set(line.match(/(?<![0-9A-Za-z])[sp]k_(?:test|live)_[0-9A-Za-z]+/g)),
]

/** Detects a mistyped key without querying MongoDB. */
export function looksLikeApiKey(key: string): boolean {
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
