/**
 * Returns a delivery id of 32 characters, which encode the event's 12-byte id and the endpoint's 12-byte id. The id
 * must be short because Redis stores it three times for each waiting delivery. Merchants decode the event's id from it.
 */
export const deliveryId = (eventId: string, endpointId: string): string =>
  Buffer.from(eventId + endpointId, 'hex').toString('base64url')

export const eventIdOf = (id: string): string => Buffer.from(id, 'base64url').toString('hex', 0, 12)

export const endpointIdOf = (id: string): string => Buffer.from(id, 'base64url').toString('hex').slice(24)

/** Whether a string has the form of a delivery id. No other kind of id has this form. */
export const isDeliveryId = (id: string): boolean => /^[\w-]{32}$/.test(id)
