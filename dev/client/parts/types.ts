import type { operations, table } from '../../../docs/clients/payments.ts'

export type OperationId = keyof typeof table & keyof operations

/** Options of one operation. */
export interface CallOptions {
  /**
   * The idempotency key of a write. Defaults to a new UUID. Store your own key with the order if a restarted program
   * must be able to repeat the write.
   */
  idempotencyKey?: string | undefined
  /** Cancels the operation. The service may have carried it out already. */
  signal?: AbortSignal | undefined
  /** Replaces `timeoutMs` of the client. */
  timeoutMs?: number | undefined
  /** Replaces `maxRetries` of the client. */
  maxRetries?: number | undefined
}

/** A group of fields of the input, or `unknown`, which adds no field, if the operation has no such group. */
type Fields<T> = [NonNullable<T>] extends [never] ? unknown : NonNullable<T>
type Json<T> = T extends { content: { 'application/json': infer Body } } ? Body : unknown
type AllFields<Id extends OperationId> = Fields<operations[Id]['parameters']['path']> &
  Fields<operations[Id]['parameters']['query']> &
  Fields<Json<Fields<operations[Id]['requestBody']>>>

/** The path parameters, the query parameters and the fields of the body of an operation, in one object. */
export type Input<Id extends OperationId> = unknown extends AllFields<Id> ? Record<string, never> : AllFields<Id>

type Success<T> = T extends { 200: infer Body } ? Body : T extends { 201: infer Body } ? Body : never

/** The `data` of an operation's response. A download returns the `Response`, whose body can be streamed. */
export type Data<Id extends OperationId> =
  Success<operations[Id]['responses']> extends { content: { 'application/json': { data: infer Result } } }
    ? Result
    : Response

/** The input can be omitted if it has no required field. */
type Arguments<T> = Partial<T> extends T ? [input?: T, options?: CallOptions] : [input: T, options?: CallOptions]

export type Operations = {
  [Id in OperationId]: (...args: Arguments<Input<Id>>) => Promise<Data<Id>>
}

/** The operations that return a page of a list. */
export type ListId = {
  [Id in OperationId]: 'page' extends keyof Input<Id>
    ? Data<Id> extends { items: unknown[]; hasMore: boolean }
      ? Id
      : never
    : never
}[OperationId]

export type Item<Id extends ListId> = Data<Id> extends { items: (infer Each)[] } ? Each : never

export type ListArguments<Id extends ListId> = Arguments<Omit<Input<Id>, 'page'>>
