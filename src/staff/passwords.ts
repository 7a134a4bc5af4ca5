import { hash, randomBytes, randomInt } from 'node:crypto'
import type { Config } from '../config/config.ts'
import type { Deps } from '../platform/deps.ts'
import type { PasswordLink, Staff } from './account.ts'

const letters = '23456789abcdefghjkmnpqrstuvwxyz'

/** Easy to type, with almost 5 bits of randomness per character. */
export function randomGroups(groups: number, groupLength: number): string {
  const group = () => Array.from({ length: groupLength }, () => letters[randomInt(letters.length)]).join('')
  return Array.from({ length: groups }, group).join('-')
}

/** 24 characters in groups of six, about 118 bits of randomness. */
export const newPassword = (): string => randomGroups(4, 6)

export const minPasswordLength = 12
export const maxPasswordLength = 200

/** Parts of the most common passwords, in English and French. Longer ones come before the parts that they contain. */
const common =
  /motdepasse|qwertyuiop|azertyuiop|asdfghjkl|qsdfghjklm|password|passw0rd|p@ssw0rd|trustno1|whatever|changeme|iloveyou|bienvenue|football|baseball|sunshine|princess|superman|welcome|letmein|bonjour|jetaime|support|soleil|dragon|monkey|shadow|master|qwerty|azerty|secret|admin|login|hello|abc|payment|intents|\d+|\p{P}+|\s+/gu
/** Different characters that must be left without common parts and the name of the account. */
const minOwnCharacters = 5

/**
 * Why a chosen password isn't accepted, or null. Only its length and its closeness to common passwords count: rules
 * about kinds of characters make passwords no harder to guess (NIST SP 800-63B).
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

const lifetimeMs = 24 * 60 * 60 * 1000

export interface LinkDeps {
  config: Pick<Config, 'publicUrl'>
  now(): Date
}

/** The token has 256 random bits. Show the URL only once. */
export function newPasswordLink({ config, now }: LinkDeps): { link: PasswordLink; url: string } {
  const token = randomBytes(32).toString('base64url')
  return {
    link: { hash: hashOfToken(token), expiresAt: new Date(now().getTime() + lifetimeMs) },
    url: `${config.publicUrl}/admin/set-password/${token}`,
  }
}

/** No key is needed, because the token is too random to be guessed. */
const hashOfToken = (token: string): string => hash('sha256', token, 'base64url')

/** Filter for the account whose password this link may set now. */
export const linkFilter = ({ now }: Pick<LinkDeps, 'now'>, token: string) => ({
  'link.hash': hashOfToken(token),
  'link.expiresAt': { $gt: now() },
  disabledAt: null,
})

/**
 * Null if the link is used, expired, replaced or unknown. Opening a link doesn't use it up, because chat programs open
 * links to show a preview.
 */
export async function findByLink(deps: Pick<Deps, 'Staff' | 'now'>, token: string): Promise<string | null> {
  const staff = await deps.Staff.findOne(linkFilter(deps, token), { _id: 1 }).lean<Pick<
    Staff,
    '_id'
  > | null>()
  return staff?._id ?? null
}
