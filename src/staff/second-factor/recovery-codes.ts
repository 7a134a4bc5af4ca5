import { hash } from 'node:crypto'
import { randomGroups } from '../passwords.ts'

const codesPerAccount = 10
const groupsPerCode = 6
const groupLength = 4

/** Returns ten recovery codes, each with about 119 bits of randomness, such as `k3fm-82hp-wq9d-5xrt-v7gc-n4te`. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: codesPerAccount }, () => randomGroups(groupsPerCode, groupLength))

/** Returns whether a text has as many characters as a recovery code. Codes of an authenticator app have 6 digits. */
export const isRecoveryCode = (text: string): boolean => bare(text).length === groupsPerCode * groupLength

/**
 * Returns the hash to store for a recovery code of an account. It does not depend on SECRET_KEY, so the codes stay
 * valid when SECRET_KEY changes. It needs no slow hash, because the codes are too random to be guessed.
 */
export const hashOfRecoveryCode = (name: string, code: string): string =>
  hash('sha256', `recovery code\0${name}\0${bare(code)}`, 'base64url')

const bare = (code: string): string => code.toLowerCase().replaceAll(/[\s-]/g, '')
