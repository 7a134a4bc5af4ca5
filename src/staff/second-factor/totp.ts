import { Secret, TOTP } from 'otpauth'
import type { EncryptedField } from '../../security/encrypt.ts'
import { staffAccounts } from '../account.ts'

/** All authenticator apps support these (RFC 6238). */
const parameters = { algorithm: 'SHA1', digits: 6, period: 30 } as const

/** 160 bits, as 32 base32 characters. */
export const newTotpSecret = (): string => new Secret({ size: 20 }).base32

/** For the QR code. `host` shows which service the account is for. */
export const totpUri = (secret: string, { name, host }: { name: string; host: string }): string =>
  new TOTP({ ...parameters, issuer: `Payment intents ${host}`, label: name, secret }).toString()

/**
 * The time step of a code, or null if the code is wrong. Accepts the current step, the one before and the one after,
 * because a phone's clock may differ. The caller must ensure that no step is used twice.
 */
export function stepOf(secret: string, code: string, now: Date): number | null {
  const token = code.replaceAll(/[\s-]/g, '')
  if (!/^\d{6}$/.test(token)) return null
  const timestamp = now.getTime()
  const delta = new TOTP({ ...parameters, secret }).validate({ token, timestamp, window: 1 })
  return delta === null ? null : TOTP.counter({ period: parameters.period, timestamp }) + delta
}

export const totpField = (name: string): EncryptedField => ({
  collection: staffAccounts.name,
  id: name,
  field: 'secondFactor.secret',
})
