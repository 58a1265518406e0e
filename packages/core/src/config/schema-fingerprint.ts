/**
 * Changes whenever the code that reads and checks the configuration files does, so that what one version cached is not
 * used by another. A test tells the value to put here.
 */
export const schemaFingerprint = '904de6d72f09'
