//! Standard INQUIRY data: SPC-4, clause 6, table "Standard INQUIRY data format".

use super::ascii;

/// What every SCSI device says of itself.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Inquiry {
    /// 0 is a direct access block device.
    pub device_type: u8,
    pub vendor: Option<String>,
    pub product: Option<String>,
    pub revision: Option<String>,
}

/// `None` where the answer is shorter than what names a device, or nothing is connected there.
pub fn standard(data: &[u8]) -> Option<Inquiry> {
    let end = 5 + usize::from(*data.get(4)?);
    let data = data.get(..36).filter(|_| end >= 36)?;
    // The peripheral qualifier: 000b says that a device is there.
    (data[0] >> 5 == 0).then(|| Inquiry {
        device_type: data[0] & 0x1F,
        vendor: ascii(&data[8..16]),
        product: ascii(&data[16..32]),
        revision: ascii(&data[32..36]),
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub fn sample() -> Vec<u8> {
        let mut data = vec![0, 0, 6, 2, 31, 0, 0, 2];
        data.extend(b"SAMPLE  DISK 15K        0A01");
        data
    }

    #[test]
    fn a_disk_tells_its_vendor_product_and_revision_without_padding() {
        let inquiry = standard(&sample()).expect("an answer");
        assert_eq!(inquiry.vendor.as_deref(), Some("SAMPLE"));
        assert_eq!((inquiry.product.as_deref(), inquiry.revision.as_deref()), (Some("DISK 15K"), Some("0A01")));
        assert_eq!(inquiry.device_type, 0);
    }

    #[test]
    fn an_absent_device_and_a_short_answer_are_none() {
        let mut absent = sample();
        absent[0] = 0x7F;
        assert_eq!(standard(&absent), None);
        let mut short = sample();
        short[4] = 10;
        assert_eq!(standard(&short), None);
        assert_eq!(standard(&sample()[..35]), None);
    }
}
