/** A wallet that every sandbox has (docs/merchants/testing.md). It always pays. */
export const demoWallet = { phone: '22000001', pin: '1234', masked: '22 ** ** 01' } as const
