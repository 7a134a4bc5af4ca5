import { merchantReference } from '../../../schemas/intents.ts'
import { lookUpBusiness } from '../../businesses/look-up.ts'
import type { Deps } from '../../deps.ts'
import { isLonger, readName } from '../../input/name.ts'
import { readCode } from '../../intents/code.ts'
import {
  type FoundIntent,
  lookUpIntent,
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

export const paymentHits = (intents: readonly FoundIntent[]): Hit[] =>
  intents.map((intent) => {
    const { referenceNumber } = intent
    return { path: paymentPath(referenceNumber), name: referenceNumber, intent }
  })

/** A finder of payments. */
const payments = (
  kind: string,
  read: Finder['read'],
  search: (deps: Deps, input: string) => Promise<FoundIntent[]>,
  more: Pick<Finder, 'shown' | 'audited'> = {},
): Finder => ({ kind, read, find: async (deps, input) => paymentHits(await search(deps, input)), ...more })

/** A finder of something that has a page of its own. */
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
  onePage(
    'payment reference',
    upper((text) => /^PI-[0-9A-Z]+$/.test(text)),
    lookUpIntent,
    paymentPath,
  ),
  payments("merchant's reference", readMerchantReference, searchByMerchantReference, {
    // A reference may look like a phone number, which the results never show.
    shown: (input) => (readPhone(input) === null ? input : maskPhone(input)),
  }),
  onePage('order number', upper(isOrderNumber), lookUpOrder, orderPath),
  payments(
    'refund id',
    upper((text) => /^RF-[0-9A-Z]+$/.test(text)),
    searchByWalletKey,
  ),
  payments('payment link or short code', readShortCode, searchByShortCode),
  payments('payment code', readCode, searchByCode),
  payments('phone number of the payer', readPhone, searchByPayer, {
    shown: maskPhone,
    audited: 'payment.searched-by-phone',
  }),
  payments('key in the wallet', lower(isId), searchByWalletKey),
  // Delivery ids are case-sensitive.
  onePage('delivery id', (query) => matching(isDeliveryId, query), lookUpDelivery, deliveryPath),
  onePage('endpoint id', lower(isId), lookUpEndpoint, endpointPath),
  onePage('business id', lower(isId), lookUpBusiness, businessPath),
]
