import { hash, randomBytes, randomInt } from 'node:crypto'
import type { Config } from '../config/config.ts'
import type { Deps } from '../platform/deps.ts'
import type { PasswordLink, Staff } from './account.ts'

const letters = '23456789abcdefghjkmnpqrstuvwxyz'

/** Returns groups of characters that are easy to type, with almost 5 bits of randomness per character. */
export function randomGroups(groups: number, groupLength: number): string {
  const group = () => Array.from({ length: groupLength }, () => letters[randomInt(letters.length)]).join('')
  return Array.from({ length: groups }, group).join('-')
}

/** Returns a password of 24 characters in groups of six, with about 118 bits of randomness. */
export const newPassword = (): string => randomGroups(4, 6)

export const minPasswordLength = 12
export const maxPasswordLength = 200

/** Parts of the most common passwords, in English and French. Longer parts come before the parts that they contain. */
const common =
  /motdepasse|qwertyuiop|azertyuiop|asdfghjkl|qsdfghjklm|password|passw0rd|p@ssw0rd|trustno1|whatever|changeme|iloveyou|bienvenue|football|baseball|sunshine|princess|superman|welcome|letmein|bonjour|jetaime|support|soleil|dragon|monkey|shadow|master|qwerty|azerty|secret|admin|login|hello|abc|payment|intents|\d+|\p{P}+|\s+/gu
/** A password must have this many different characters besides common parts and the name of the account. */
const minOwnCharacters = 5

/**
 * Returns why a password that a person has chosen is not accepted, or null if it is accepted. Only the length and the
 * closeness to common passwords count, because rules about kinds of characters make passwords no harder to guess (NIST
 * SP 800-63B).
 */
export function passwordFault(name: string, password: string): string | null {
  const { length } = Array.from(password)
  if (length < minPasswordLength) return `The password needs at least ${minPasswordLength} characters.`
  if (length > maxPasswordLength) return `The password may have at most ${maxPasswordLength} characters.`
  const own = password.toLowerCase().replaceAll(name, '').replaceAll(common, '')
  return new Set(own).size >= minOwnCharacters
    ? null
    : 'The password is too easy to guess, because it is close to a common password or to your name. Choose another one.'
}

/** How long a link for setting a password is valid. */
const lifetimeMs = 24 * 60 * 60 * 1000

export interface LinkDeps {
  config: Pick<Config, 'publicUrl'>
  now(): Date
}

/** Creates a link with a random token of 256 bits. Its URL must be shown only once. */
export function newLink({ config, now }: LinkDeps): { link: PasswordLink; url: string } {
  const token = randomBytes(32).toString('base64url')
  return {
    link: { hash: hashOfToken(token), expiresAt: new Date(now().getTime() + lifetimeMs) },
    url: `${config.publicUrl}/admin/set-password/${token}`,
  }
}

/** The hash needs no key, because the token is too random to be guessed. */
const hashOfToken = (token: string): string => hash('sha256', token, 'base64url')

/** A filter for the account whose password this link may set now. */
export const withLink = ({ now }: Pick<LinkDeps, 'now'>, token: string) => ({
  'link.hash': hashOfToken(token),
  'link.expiresAt': { $gt: now() },
  disabledAt: null,
})

/**
 * Returns the name of the account whose password this link may set, or null if the link is used, expired, replaced or
 * unknown. Opening a link does not use it up, because chat programs open links to show a preview.
 */
export async function findByLink(deps: Pick<Deps, 'Staff' | 'now'>, token: string): Promise<string | null> {
  const staff = await deps.Staff.findOne(withLink(deps, token), { _id: 1 }).lean<Pick<Staff, '_id'> | null>()
  return staff?._id ?? null
}
