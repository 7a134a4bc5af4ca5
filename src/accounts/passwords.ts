import { hash, randomBytes, randomInt } from 'node:crypto'
import type { Config } from '../config/config.ts'
import type { Account, Accounts, PasswordLink } from './account.ts'

const letters = '23456789abcdefghjkmnpqrstuvwxyz'

export function randomCharGroups(groups: number, groupLength: number): string {
  const group = () => Array.from({ length: groupLength }, () => letters[randomInt(letters.length)]).join('')
  return Array.from({ length: groups }, group).join('-')
}

const minPasswordLength = 12
const maxPasswordLength = 200

/** Longer words come before the words that they contain. */
const common =
  /motdepasse|qwertyuiop|azertyuiop|asdfghjkl|qsdfghjklm|password|passw0rd|p@ssw0rd|trustno1|whatever|changeme|iloveyou|bienvenue|football|baseball|sunshine|princess|superman|welcome|letmein|bonjour|jetaime|support|soleil|dragon|monkey|shadow|master|qwerty|azerty|secret|admin|login|hello|abc|payment|intents|\d+|\p{P}+|\s+/gu
/** How many different characters must remain once common words are removed. */
const minOwnCharacters = 5

/** `same` as the old one. The pages have the words (account-pages/words). */
export type PasswordFault = 'short' | 'long' | 'easy' | 'same'

/** NIST SP 800-63B advises against rules about kinds of characters. */
export function passwordFault(name: string, password: string): PasswordFault | null {
  const { length } = Array.from(password)
  if (length < minPasswordLength) return 'short'
  if (length > maxPasswordLength) return 'long'
  const own = password.toLowerCase().replaceAll(name, '').replaceAll(common, '')
  return new Set(own).size >= minOwnCharacters ? null : 'easy'
}

const lifetimeMs = 86_400_000

export type PasswordLinkDeps = { config: Pick<Config, 'publicUrl'>; now(): Date }

/** The link's address is `path`, followed by the token. */
export function newPasswordLink(
  { config, now }: PasswordLinkDeps,
  path: string,
): { link: PasswordLink; url: string } {
  const token = randomBytes(32).toString('base64url')
  return {
    link: { hash: hashOfToken(token), expiresAt: new Date(now().getTime() + lifetimeMs) },
    url: `${config.publicUrl}${path}/${token}`,
  }
}

/** An unkeyed hash is enough, because the token is too random to guess. */
export const hashOfToken = (token: string): string => hash('sha256', token, 'base64url')

export const validLinkFilter = ({ now }: Pick<PasswordLinkDeps, 'now'>, token: string) => ({
  'link.hash': hashOfToken(token),
  'link.expiresAt': { $gt: now() },
  disabledAt: null,
})

/** Opening a link doesn't use it up, because chat programs preview links. */
export function findByPasswordLink(
  deps: Pick<Accounts, 'Account'> & Pick<PasswordLinkDeps, 'now'>,
  token: string,
): Promise<Account | null> {
  return deps.Account.findOne(validLinkFilter(deps, token)).lean<Account | null>()
}
