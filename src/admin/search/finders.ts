import { merchantReference } from '../../../schemas/create-intent.ts'
import { lookUpBusiness } from '../../businesses/look-up.ts'
import type { Deps } from '../../deps.ts'
import { isLonger, readName } from '../../input/name.ts'
import { readCode } from '../../intents/code.ts'
import { lookUpIntent } from '../../intents/look-up.ts'
import {
  type FoundIntent,
  searchByCode,
  searchByMerchantReference,
  searchByPayer,
  searchByShortCode,
  searchByWalletKey,
} from '../../intents/search.ts'
import { isId, isOrderNumber, isShortCode } from '../../security/ids.ts'
import { lookUpOrder } from '../../store/orders/read.ts'
import { maskPhone, readPhone } from '../../wallets/phone.ts'
import { isDeliveryId } from '../../webhooks/deliveries/delivery-id.ts'
import { lookUpDelivery, lookUpEndpoint } from '../../webhooks/deliveries/look-up.ts'
import { businessPath, deliveryPath, endpointPath, orderPath, paymentPath } from '../pages/paths.ts'

/** One search result. `path` is the path of its page, and `intent` is null unless the result is a payment. */
export interface Hit {
  path: string
  name: string
  intent: FoundIntent | null
}

/**
 * Finds payments, orders and other documents by one kind of input. Each finder is bounded: it reads an index, with a
 * limit and a time limit, or a single document by its unique id.
 */
export interface Finder {
  /** The kind of input, as it appears in the results and in the hint. */
  kind: string
  /** Returns the input in its stored format. Returns null if the query is not of this kind. */
  read(query: string): string | null
  find(deps: Deps, input: string): Promise<Hit[]>
  /**
   * Returns the input as the results may show it. Without this function, the input is shown in full. If it differs from
   * the input, the page does not repeat the query.
   */
  shown?(input: string): string
  /** Returns a sentence that explains to staff why nothing was found. It must not contain the input. */
  whyNoHit?(input: string): string
  /** If this is set, the search is recorded in the audit trail before its results are shown. */
  audited?: 'payment.searched-by-phone'
}

const paymentHits = (intents: readonly FoundIntent[]): Hit[] =>
  intents.map((intent) => {
    const { referenceNumber } = intent
    return { path: paymentPath(referenceNumber), name: referenceNumber, intent }
  })

/** Returns a hit for a page if its document exists. */
const pageHit = (document: object | null, path: string, name: string): Hit[] =>
  document === null ? [] : [{ path, name, intent: null }]

/** Returns the query if it has the given form, or null. */
const matching = (isOfForm: (text: string) => boolean, query: string): string | null => (isOfForm(query) ? query : null)

/** Part of every API key. MongoDB logs the text of slow queries, so a text that contains a key must not become one. */
const keyPrefix = /[sp]k_(?:test|live)_/i
function readMerchantReference(query: string): string | null {
  const text = readName('reference', query)
  return text === null || isLonger(text, merchantReference.maxLength) || keyPrefix.test(text) ? null : text
}

/** Documents and chats turn the hyphen of a reference into a dash, and sentences put punctuation around it. */
const pasted = (query: string): string =>
  (readName('reference', query) ?? '').replace(/^[^0-9A-Z]+/i, '').replace(/(?<=[0-9A-Z])[^0-9A-Z]+$/i, '')
const upper = (isOfForm: (text: string) => boolean) => (query: string) =>
  matching(isOfForm, pasted(query).toUpperCase())
const lower = (isOfForm: (text: string) => boolean) => (query: string) =>
  matching(isOfForm, pasted(query).toLowerCase())

/** A payment link with or without a query. It may have any host, because PAY_URL may change. */
const link = /^[^?#]*\/p\/([0-9A-Z]{6})(?:[^0-9A-Z].*)?$/i
/** Characters that people type between the characters of a short code. */
const separators = /[\s.\p{Pd}]/gu

/** Returns the short code in a payment link, or the short code itself. */
function readShortCode(query: string): string | null {
  const text = query.replaceAll(/\s/g, '')
  const typed = link.exec(text)?.[1] ?? text.replaceAll(separators, '')
  return matching(isShortCode, typed.toUpperCase())
}

/** The finders for payments, orders, deliveries, endpoints and businesses by id. */
export const finders: readonly Finder[] = [
  {
    kind: 'payment reference',
    read: upper((text) => /^PI-[0-9A-Z]+$/.test(text)),
    find: async (deps, input) => pageHit(await lookUpIntent(deps, input), paymentPath(input), input),
  },
  {
    kind: "merchant's reference",
    read: readMerchantReference,
    find: async (deps, input) => paymentHits(await searchByMerchantReference(deps, input)),
    // A reference may look like a phone number, which the results never show.
    shown: (input) => (readPhone(input) === null ? input : maskPhone(input)),
  },
  {
    kind: 'order number',
    read: upper(isOrderNumber),
    find: async (deps, input) => pageHit(await lookUpOrder(deps, input), orderPath(input), input),
  },
  {
    kind: 'refund id',
    read: upper((text) => /^RF-[0-9A-Z]+$/.test(text)),
    find: async (deps, input) => paymentHits(await searchByWalletKey(deps, input)),
  },
  {
    kind: 'payment link or short code',
    read: readShortCode,
    find: async (deps, input) => paymentHits(await searchByShortCode(deps, input)),
  },
  {
    kind: 'payment code',
    read: readCode,
    find: async (deps, input) => paymentHits(await searchByCode(deps, input)),
  },
  {
    kind: 'phone number of the payer',
    read: readPhone,
    find: async (deps, input) => paymentHits(await searchByPayer(deps, input)),
    shown: maskPhone,
    audited: 'payment.searched-by-phone',
  },
  {
    kind: 'key in the wallet',
    read: lower(isId),
    find: async (deps, input) => paymentHits(await searchByWalletKey(deps, input)),
  },
  {
    // Delivery ids are case-sensitive.
    kind: 'delivery id',
    read: (query) => matching(isDeliveryId, query),
    find: async (deps, input) => pageHit(await lookUpDelivery(deps, input), deliveryPath(input), input),
  },
  {
    kind: 'endpoint id',
    read: lower(isId),
    find: async (deps, input) => pageHit(await lookUpEndpoint(deps, input), endpointPath(input), input),
  },
  {
    kind: 'business id',
    read: lower(isId),
    find: async (deps, input) => pageHit(await lookUpBusiness(deps, input), businessPath(input), input),
  },
]
