/**
 * Changes whenever the scanner does, so that what one version found harmless is looked at again by another. A test tells
 * the value to put here.
 */
export const scannerFingerprint = '0ad82a8e1a13'
