import type { Deps } from '../deps.ts'
import { unavailable } from '../errors.ts'

/**
 * How a retry finds a create's first response by the effect id. `find` resolves to null if nothing has been created.
 */
export type Recall = StoredRecall | ComputedRecall

/** For documents whose fields may change. The insert stores the response in the document's `sealedResponse` field. */
interface StoredRecall {
  kind: 'stored'
  /** The name of the documents' collection. */
  collection: string
  find(deps: Deps, effectId: string): Promise<string | null>
}

/**
 * For documents whose first response depends only on fields that never change. `find` computes the response from those
 * fields.
 */
interface ComputedRecall {
  kind: 'computed'
  find(deps: Deps, effectId: string): Promise<ResponseData | null>
}

export type ResponseData = Record<string, unknown>

/**
 * Computes first responses by the format number stored in each document. A released format must always return the same
 * bytes, so add a format with the next number instead of changing it. A process running an earlier version throws
 * SERVICE_UNAVAILABLE for a number that it does not know.
 */
export const byFormat =
  <Doc extends { responseFormat: number }>(formats: Readonly<Record<number, (doc: Doc) => ResponseData>>) =>
  (doc: Doc): ResponseData => {
    const format = formats[doc.responseFormat]
    if (format === undefined) throw unavailable()
    return format(doc)
  }
