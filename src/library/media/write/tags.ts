/** Tags that describe their file, not the recording. */
const containerTags = new Set([
  'major_brand',
  'minor_version',
  'compatible_brands',
  'encoder',
  'encoded_by',
  'creation_time',
  'handler_name',
  'vendor_id',
  'duration',
  'metadata_block_picture',
  'wm/picture',
  'deviceconformancetemplate',
  'wmfsdkversion',
  'wmfsdkneeded',
  'isvbr',
]);

/** The tags to copy into another file. */
export function portableTags(tags: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(tags).filter(([key, value]) => !containerTags.has(key.toLowerCase()) && value.length < 65_536),
  );
}
