/**
 * Returns 32 characters that encode the 12 bytes of the event's id and the 12 bytes of the endpoint's id. The id is
 * short because Redis stores it three times for each waiting delivery.
 */
export const deliveryId = (eventId: string, endpointId: string): string =>
  Buffer.from(eventId + endpointId, 'hex').toString('base64url')

export const eventIdOf = (id: string): string => Buffer.from(id, 'base64url').toString('hex', 0, 12)

export const endpointIdOf = (id: string): string => Buffer.from(id, 'base64url').toString('hex').slice(24)

/** Whether a text has the form of a delivery id. No other id has this form. */
export const isDeliveryId = (id: string): boolean => /^[\w-]{32}$/.test(id)
