import { randomInt } from 'node:crypto'

const letters = '23456789abcdefghjkmnpqrstuvwxyz'

/** Returns a password of 24 characters in groups of six, with about 118 bits of randomness. */
export function newPassword(): string {
  const group = () => Array.from({ length: 6 }, () => letters[randomInt(letters.length)]).join('')
  return [group(), group(), group(), group()].join('-')
}
