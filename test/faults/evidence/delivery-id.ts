/** The id of the delivery that a POST at a receiver is of; '' where its body is none. */
export const deliveryIn = (body: string): string => /^\{"id":"([\w-]+)"/.exec(body)?.[1] ?? ''
