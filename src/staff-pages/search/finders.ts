import { merchantReferenceSchema } from '../../../schemas/intents.ts'
import { addAuditLine } from '../../audit/audited.ts'
import { looksLikeApiKey } from '../../businesses/api-key.ts'
import { listKeys, lookUpKey, recogniseKey, unknownKeyTexts } from '../../businesses/key-facts.ts'
import { findBusinessesByName, lookUpBusiness } from '../../businesses/list-businesses.ts'
import { isLongerThan, normaliseName } from '../../input/name.ts'
import { maskPhone, readPhone } from '../../input/phone.ts'
import { readPaymentCode } from '../../intents/codes.ts'
import * as intents from '../../intents/search.ts'
import type { Deps } from '../../platform/deps.ts'
import { isId, isOrderNumber, isShortCode } from '../../platform/ids.ts'
import type { Author } from '../../security/actor.ts'
import { lookUpOrder } from '../../store/orders/read.ts'
import { isDeliveryId } from '../../webhooks/deliveries/delivery.ts'
import { lookUpDelivery, lookUpEndpoint } from '../../webhooks/deliveries/look-up.ts'
import { businessPath, deliveryPath, endpointPath, keyPath, orderPath, paymentPath } from '../paths.ts'

/** `intent` is null unless the result is a payment. */
export interface SearchHit {
  path: string
  name: string
  intent: intents.FoundIntent | null
}

/** Reads an index, up to a limit and a timeout, or one document by its id. */
interface Finder {
  /** The name of this kind in the results, e.g. `phone number`. */
  kind: string
  /** The input in its stored format, or null if it's of another kind. */
  read(query: string): string | null
  find(deps: Deps, input: string): Promise<SearchHit[]>
  /** Masks the input. The results page then doesn't repeat the query. */
  shown?(input: string): string
  /** Tells staff why nothing was found. Must not contain the input. */
  whyNoHit?(input: string): string
  /** If set, the search is first recorded in the audit trail. */
  audited?: 'payment.searched-by-phone'
}

export const toPaymentHits = (found: readonly intents.FoundIntent[]): SearchHit[] =>
  found.map((intent) => {
    const { referenceNumber } = intent
    return { path: paymentPath(referenceNumber), name: referenceNumber, intent }
  })

const payments = (
  kind: string,
  read: Finder['read'],
  search: (deps: Deps, input: string) => Promise<intents.FoundIntent[]>,
  more: Pick<Finder, 'shown' | 'audited'> = {},
): Finder => ({ kind, read, find: async (deps, input) => toPaymentHits(await search(deps, input)), ...more })

const onePage = (
  kind: string,
  read: Finder['read'],
  lookUp: (deps: Deps, input: string) => Promise<object | null>,
  pathOf: (input: string) => string,
): Finder => ({
  kind,
  read,
  find: async (deps, input) =>
    (await lookUp(deps, input)) === null ? [] : [{ path: pathOf(input), name: input, intent: null }],
})

const matching = (isOfForm: (text: string) => boolean, query: string) => (isOfForm(query) ? query : null)

/** Never searches for API keys as text: MongoDB logs slow queries. */
const keyPrefix = /[sp]k_(?:test|live)_/i
function readMerchantReference(query: string) {
  const text = normaliseName('reference', query)
  return text === null || isLongerThan(text, merchantReferenceSchema.maxLength) || keyPrefix.test(text)
    ? null
    : text
}

/** A pasted reference may have punctuation around it. */
const pasted = (query: string) =>
  (normaliseName('reference', query) ?? '')
    .replace(/^[^0-9A-Z]+/i, '')
    .replace(/(?<=[0-9A-Z])[^0-9A-Z]+$/i, '')
const upper = (isOfForm: (text: string) => boolean) => (query: string) =>
  matching(isOfForm, pasted(query).toUpperCase())
const lower = (isOfForm: (text: string) => boolean) => (query: string) =>
  matching(isOfForm, pasted(query).toLowerCase())

const beginsWith = (prefix: string) => (text: string) =>
  text.startsWith(prefix) && /^[0-9A-Z]+$/.test(text.slice(prefix.length))

/** Matches links on any host, because PAY_URL may change. */
const link = /^[^?#]*\/p\/([0-9A-Z]{6})(?:[^0-9A-Z].*)?$/i
const separators = /[\s.\p{Pd}]/gu

function readShortCode(query: string) {
  const text = query.replaceAll(/\s/g, '')
  const typed = link.exec(text)?.[1] ?? text.replaceAll(separators, '')
  return matching(isShortCode, typed.toUpperCase())
}

const finders: readonly Finder[] = [
  onePage('payment reference', upper(beginsWith('PI-')), intents.lookUpIntent, paymentPath),
  payments("merchant's reference", readMerchantReference, intents.searchByMerchantReference, {
    // A reference may look like a phone number, which results never show.
    shown: (input) => (readPhone(input) === null ? input : maskPhone(input)),
  }),
  onePage('order number', upper(isOrderNumber), lookUpOrder, orderPath),
  payments('refund id', upper(beginsWith('RF-')), intents.searchByWalletKey),
  payments('payment link or short code', readShortCode, intents.searchByShortCode),
  payments('payment code', readPaymentCode, intents.searchByPaymentCode),
  payments("payer's phone number", readPhone, intents.searchByPayer, {
    shown: maskPhone,
    audited: 'payment.searched-by-phone',
  }),
  payments('key in the wallet', lower(isId), intents.searchByWalletKey),
  onePage('delivery id', (query) => matching(isDeliveryId, query), lookUpDelivery, deliveryPath),
  onePage('endpoint id', lower(isId), lookUpEndpoint, endpointPath),
  onePage('business id', lower(isId), lookUpBusiness, businessPath),
]

/** Matches e.g. `sk_live_…rwQB`, or only the last four characters. */
const shortForm = /^(?:([sp]k_(?:test|live)_)\W*)?([0-9A-Za-z]{4})$/
const maxKeys = 20

const keyHits = (keys: { id: string; key: string }[], query = ''): SearchHit[] =>
  keys.map(({ id, key }) => ({ path: keyPath(id) + query, name: key, intent: null }))

/** Matches secret keys in clear text, anywhere in a query. */
const wholeOrPart = /[sp]k_(?:test|live)_[0-9A-Za-z]{5,}/gi

function readKeys(query: string) {
  const keys = [...new Set(query.match(wholeOrPart))]
  return keys.length === 0 ? null : keys.join(' ')
}

function whyNotOneKey(keys: string) {
  const count = keys.split(' ').length
  if (count > 1) return `The text contains ${count} API keys. Search for one at a time.`
  return looksLikeApiKey(keys) ? unknownKeyTexts.unknown : unknownKeyTexts.mistyped
}

const keyFinders: readonly Finder[] = [
  {
    kind: 'API key',
    read: readKeys,
    async find(deps, input) {
      const key = await recogniseKey(deps, input)
      if (typeof key === 'string') return []
      return keyHits([key], `?matched=${key.matched}`)
    },
    shown: (input) => `${input.slice(0, 'sk_live_'.length)}…${input.slice(-4)}`,
    whyNoHit: whyNotOneKey,
  },
  {
    kind: 'last characters of the API key',
    read: (query) => matching((text) => shortForm.test(text), query),
    async find(deps, input) {
      const [, prefix, last4] = shortForm.exec(input) ?? []
      const { items } = await listKeys(deps, { last4: last4 ?? '' }, { limit: maxKeys, after: null })
      return keyHits(items.filter(({ key }) => prefix === undefined || key.startsWith(prefix)))
    },
  },
  {
    kind: 'key id',
    read: (query) => matching(isId, query.toLowerCase()),
    find: async (deps, input) => keyHits([await lookUpKey(deps, input)].filter((key) => key !== null)),
  },
]

export interface SearchResultGroup {
  kind: string
  shown: string
  hits: SearchHit[]
}

/** A private query is a phone number or contains an API key. */
interface Results {
  groups: SearchResultGroup[]
  isPrivate: boolean
  whyNoHit: string | null
}

export const phoneSearchLimit = {
  what: 'Searches by phone number',
  owner: 'member of staff',
  gets: 'the page asks to wait',
  max: 60,
  seconds: 3600,
}

/** A single letter occurs in too many names. */
export const minNamePartLength = 2

/**
 * Audits a search before showing its results. A private query never becomes a
 * search by name, because MongoDB logs the text of slow queries.
 */
export async function findSearchHits(
  deps: Deps,
  query: string,
  by: Author,
): Promise<Results | { waitMs: number }> {
  const accepted = [...finders, ...keyFinders].flatMap((finder) => {
    const input = finder.read(query)
    return input === null ? [] : [{ finder, input }]
  })
  if (accepted.some(({ finder }) => finder.audited !== undefined)) {
    const [waitMs = 0] = await deps.counters.take([
      { id: `phone-search ${by.actor.name}`, ...phoneSearchLimit },
    ])
    if (waitMs > 0) return { waitMs }
  }
  const groups = await Promise.all(
    accepted.map(async ({ finder, input }): Promise<SearchResultGroup> => {
      const hits = await finder.find(deps, input)
      const shown = finder.shown?.(input) ?? input
      if (finder.audited !== undefined)
        await addAuditLine(deps, by, {
          act: finder.audited,
          subject: shown,
          businessId: null,
          after: { found: hits.length },
        })
      return { kind: finder.kind, shown, hits }
    }),
  )
  const isPrivate = groups.some(({ shown }, index) => shown !== accepted[index]?.input)
  const found = groups.filter(({ hits }) => hits.length > 0)
  const [whyNoHit = null] = accepted.flatMap(({ finder, input }) => finder.whyNoHit?.(input) ?? [])
  return { groups: found.length > 0 || isPrivate ? found : await byName(deps, query), isPrivate, whyNoHit }
}

async function byName(deps: Pick<Deps, 'Business'>, query: string) {
  if (query.length < minNamePartLength || !query.isWellFormed() || query.includes('\0')) return []
  const businesses = await findBusinessesByName(deps, query)
  if (businesses.length === 0) return []
  const hits = businesses.map(({ _id, name }) => ({ path: businessPath(_id), name, intent: null }))
  return [{ kind: 'business name', shown: query, hits }]
}
