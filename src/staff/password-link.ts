import { hash, randomBytes } from 'node:crypto'
import type { Config } from '../config.ts'
import type { Deps } from '../deps.ts'
import type { PasswordLink, Staff } from './account.ts'

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
