import { randomInt } from 'node:crypto'

const letters = '23456789abcdefghjkmnpqrstuvwxyz'

/** A password of 24 letters in groups of six, some 118 random bits. */
export function newPassword(): string {
  const group = () => Array.from({ length: 6 }, () => letters[randomInt(letters.length)]).join('')
  return [group(), group(), group(), group()].join('-')
}
