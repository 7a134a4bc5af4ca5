import { hash } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import type { EncryptedField } from '../security/encrypt.ts'
import type { AccountKind } from './account.ts'
import { randomCharGroups } from './passwords.ts'

/** All authenticator apps support these (RFC 6238). */
const parameters = { algorithm: 'SHA1', digits: 6, period: 30 } as const

export const newTotpSecret = (): string => new Secret({ size: 20 }).base32

export const totpUri = (secret: string, { name, host }: { name: string; host: string }): string =>
  new TOTP({ ...parameters, issuer: `Payment intents ${host}`, label: name, secret }).toString()

/** Also accepts the steps before and after, because clocks differ. */
export function findTotpStep(secret: string, code: string, now: Date): number | null {
  const token = code.replaceAll(/[\s-]/g, '')
  if (!/^\d{6}$/.test(token)) return null
  const timestamp = now.getTime()
  const delta = new TOTP({ ...parameters, secret }).validate({ token, timestamp, window: 1 })
  return delta === null ? null : TOTP.counter({ period: parameters.period, timestamp }) + delta
}

export const totpField = ({ collection }: AccountKind, id: string): EncryptedField => ({
  collection,
  id,
  field: 'secondFactor.secret',
})

const codesPerAccount = 10
const groupsPerCode = 6
const groupLength = 4

/** Each code has about 119 bits of randomness. */
export function newRecoveryCodes(id: string): { codes: string[]; hashes: string[] } {
  const codes = Array.from({ length: codesPerAccount }, () => randomCharGroups(groupsPerCode, groupLength))
  return { codes, hashes: codes.map((code) => hashRecoveryCode(id, code)) }
}

export const isRecoveryCode = (text: string): boolean => bare(text).length === groupsPerCode * groupLength

/** SECRET_KEY isn't used, so codes survive its rotation. */
export const hashRecoveryCode = (id: string, code: string): string =>
  hash('sha256', `recovery code\0${id}\0${bare(code)}`, 'base64url')

const bare = (code: string): string => code.toLowerCase().replaceAll(/[\s-]/g, '')
