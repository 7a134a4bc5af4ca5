import { looksLikeKey } from '../../businesses/api-key.ts'
import { type KeyFacts, listKeys, lookUpKey, recogniseKey, whyNoKey } from '../../businesses/key-facts.ts'
import { isId } from '../../security/ids.ts'
import { keyPath } from '../pages/paths.ts'
import type { Finder, Hit } from './finders.ts'

/** A key as pages show it, such as `sk_live_…rwQB`, or only the last four characters of its secret. */
const shortForm = /^(?:([sp]k_(?:test|live)_)\W*)?([0-9A-Za-z]{4})$/
/** The maximum number of keys found by their last four characters. Few keys share them. */
const maxKeys = 20

const keyHits = (keys: readonly KeyFacts[]): Hit[] =>
  keys.map(({ id, key }) => ({ path: keyPath(id), name: key, intent: null }))

/** A key in clear text, whole or in part, wherever it is in a text. Unlike the short form, it is a secret. */
const wholeOrPart = /[sp]k_(?:test|live)_[0-9A-Za-z]{5,}/gi

/** Returns the different keys in clear text that the query contains, separated by spaces. */
function readKeys(query: string): string | null {
  const keys = [...new Set(query.match(wholeOrPart))]
  return keys.length === 0 ? null : keys.join(' ')
}

function whyNoHit(keys: string): string {
  const count = keys.split(' ').length
  if (count > 1) return `The text contains ${count} API keys. Search for one at a time.`
  return looksLikeKey(keys) ? whyNoKey.unknown : whyNoKey.mistyped
}

/** The finders for API keys, by a key in clear text, by its short form and by its id. */
export const keyFinders: readonly Finder[] = [
  {
    kind: 'API key',
    read: readKeys,
    async find(deps, input) {
      const key = await recogniseKey(deps, input)
      if (key === null || key === 'mistyped') return []
      return [{ path: `${keyPath(key.id)}?matched=${key.matched}`, name: key.key, intent: null }]
    },
    shown: (input) => `${input.slice(0, 'sk_live_'.length)}…${input.slice(-4)}`,
    whyNoHit,
  },
  {
    kind: 'last characters of the API key',
    read: (query) => (shortForm.test(query) ? query : null),
    async find(deps, input) {
      const [, prefix, last4] = shortForm.exec(input) ?? []
      const { items } = await listKeys(deps, { last4: last4 ?? '' }, { limit: maxKeys, after: null })
      return keyHits(items.filter(({ key }) => prefix === undefined || key.startsWith(prefix)))
    },
  },
  {
    kind: 'key id',
    read: (query) => (isId(query.toLowerCase()) ? query.toLowerCase() : null),
    async find(deps, input) {
      const key = await lookUpKey(deps, input)
      return key === null ? [] : keyHits([key])
    },
  },
]
