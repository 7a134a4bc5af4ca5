/** 32 characters: the 12 bytes of the event's id and the 12 of the endpoint's. Redis holds it three times for all that waits. */
export const deliveryId = (eventId: string, endpointId: string): string =>
  Buffer.from(eventId + endpointId, 'hex').toString('base64url')

/** As ids were before, and still are in databases: both in hexadecimal, with a hyphen between. */
const earlierForm = /^[0-9a-f]{24}-([0-9a-f]{24})$/

export const endpointIdOf = (id: string): string =>
  earlierForm.exec(id)?.[1] ?? Buffer.from(id, 'base64url').toString('hex').slice(24)

/** Whether it has the form of a delivery's id, which is not that of any other. */
export const isDeliveryId = (id: string): boolean => /^[\w-]{32}$/.test(id) || earlierForm.test(id)
