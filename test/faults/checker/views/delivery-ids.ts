/** A delivery's id is that of the event, then that of the endpoint: 12 bytes each. So it is known also of one that is not in MongoDB. */
export const endpointOfDelivery = (id: string): string => Buffer.from(id, 'base64url').toString('hex', 12)
