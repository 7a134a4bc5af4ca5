import type { Deps } from '../deps.ts'
import { unavailable } from '../errors.ts'

/** How a retry finds a create's first response by its effect id. `find` resolves to null if nothing was created. */
export type Recall = StoredRecall | ComputedRecall

/** For a document whose fields may change. Its insert stores the response in the field `sealedResponse`. */
interface StoredRecall {
  kind: 'stored'
  /** The name of the document's collection. */
  collection: string
  find(deps: Deps, effectId: string): Promise<string | null>
}

/**
 * For a document whose first response depends only on fields that never change. `find` computes the response from those
 * fields.
 */
interface ComputedRecall {
  kind: 'computed'
  find(deps: Deps, effectId: string): Promise<ResponseData | null>
}

export type ResponseData = Record<string, unknown>

/**
 * Computes first responses by the format number that each document stores. A released format must always return the
 * same bytes: add the next number instead of changing it. A process that runs an earlier version and does not know the
 * number yet throws SERVICE_UNAVAILABLE.
 */
export const byFormat =
  <Doc extends { responseFormat: number }>(formats: Readonly<Record<number, (doc: Doc) => ResponseData>>) =>
  (doc: Doc): ResponseData => {
    const format = formats[doc.responseFormat]
    if (format === undefined) throw unavailable()
    return format(doc)
  }
