// Apart from the collections, so that a command's help needn't load MongoDB's driver.
import { readPhone } from '../input/phone.ts'

export const personRoles = ['owner', 'cashier', 'accountant'] as const
export type PersonRole = (typeof personRoles)[number]

const maxAddressLength = 254
const emailAddress = /^[^\s@\p{C}"(),:;<>[\\\]]{1,64}@[^\s@\p{C}.]+(?:\.[^\s@\p{C}.]+)+$/u

/** Returns an e-mail address in lower case, or the digits of a phone number. */
export function readPersonName(typed: string): string | null {
  const text = typed.trim().normalize('NFKC').toLowerCase()
  if (!text.includes('@')) return readPhone(text)
  return text.length <= maxAddressLength && emailAddress.test(text) ? text : null
}
