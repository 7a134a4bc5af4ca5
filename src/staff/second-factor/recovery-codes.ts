import { hash } from 'node:crypto'
import { randomGroups } from '../passwords.ts'

const codesPerAccount = 10
const groupsPerCode = 6
const groupLength = 4

/** Ten codes, each with about 119 bits of randomness, such as `k3fm-82hp-wq9d-5xrt-v7gc-n4te`. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: codesPerAccount }, () => randomGroups(groupsPerCode, groupLength))

/** Goes by the length: codes of an authenticator app have 6 digits. */
export const isRecoveryCode = (text: string): boolean => bare(text).length === groupsPerCode * groupLength

/**
 * Doesn't depend on SECRET_KEY, so codes outlive a change of it. A fast hash is enough, because the codes are too
 * random to be guessed.
 */
export const hashOfRecoveryCode = (name: string, code: string): string =>
  hash('sha256', `recovery code\0${name}\0${bare(code)}`, 'base64url')

const bare = (code: string): string => code.toLowerCase().replaceAll(/[\s-]/g, '')
