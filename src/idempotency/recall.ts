import type { Deps } from '../deps.ts'

/**
 * How a retry of a create request finds the first response by the effect id. `find` resolves to null if nothing has
 * been created.
 */
export type Recall = StoredRecall | ComputedRecall

/** Used for documents whose fields may change. The insert also stores the response, in the `sealedResponse` field. */
interface StoredRecall {
  kind: 'stored'
  /** The name of the collection that contains the documents. */
  collection: string
  find(deps: Deps, effectId: string): Promise<string | null>
}

/**
 * Used for documents whose first response depends only on fields that never change. `find` computes the response from
 * those fields.
 */
interface ComputedRecall {
  kind: 'computed'
  find(deps: Deps, effectId: string): Promise<ResponseData | null>
}

export type ResponseData = Record<string, unknown>
