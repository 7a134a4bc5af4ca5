import { unescape } from 'node:querystring'
import type { Deps } from '../../platform/deps.ts'

/** The number of characters of a path that are shown, and of the fingerprint of the whole URL. */
const shownPath = 4
const fingerprint = 8
/** A shorter part of a path is hardly a secret, and may be a word that occurs in a response by chance. */
const minSecretPart = 12

/**
 * Shortens a URL for all readers but its merchant, because paths and queries often contain secrets. The keyed
 * fingerprint at the end shows whether two URLs are the same. It changes with SECRET_KEY.
 */
export function shownUrl({ secrets }: Pick<Deps, 'secrets'>, url: string): string {
  const { protocol = '', host = '', pathname = '' } = URL.parse(url) ?? {}
  return `${protocol}//${host}${pathname.slice(0, shownPath)}…${secrets.hash(url).slice(0, fingerprint)}`
}

/** Removes the path and query of the URL from a response, because many servers repeat them in error pages. */
export function withoutPath(response: string, url: string): string {
  const { pathname = '', search = '' } = URL.parse(url) ?? {}
  const target = pathname + search
  const parts = target.split(/[/?&=]/).filter((part) => part.length >= minSecretPart)
  const secrets = [target, pathname, search.slice(1), ...parts].filter((part) => part.length > shownPath)
  return [...secrets.map(unescape), ...secrets].reduce((text, secret) => text.replaceAll(secret, '…'), response)
}
